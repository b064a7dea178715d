import { type Kind } from "./records/kinds.ts";
import type { Query, RecordJson, Storage } from "./storage.ts";
/** A page ends before the record that would take its JSON beyond this many bytes. */
export declare const maxPageBytes: number;
export type PageRows = {
    readonly rows: readonly RecordJson[];
    readonly hasMore: boolean;
};
/**
 * Reads a page of at most `limit` records and `maxPageBytes`, but of at least one record if there is one. A page of more
 * than 100 records takes several reads. If a record changes between two of them, the page has only its newer version.
 */
export declare function readPage(storage: Pick<Storage, "list" | "listJson">, tenantId: string, kind: Kind, query: Query, limit: number): Promise<PageRows>;
