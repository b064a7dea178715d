import * as v from "valibot";
import type { Answer, Call, Context } from "./endpoint.ts";
import type { Kind } from "./records/kinds.ts";
type Entries = Readonly<Record<string, v.GenericSchema>>;
/** The query of a paginated list: its filters, and what every list takes. */
export declare function listQuery(filters: Entries): Entries;
/** Responds with one page, `{ data, nextCursor }`, in the order (updatedAt, id). */
export declare function page(kind: Kind, endpoint: string, query: Entries, call: Call, context: Context): Promise<Answer>;
export {};
