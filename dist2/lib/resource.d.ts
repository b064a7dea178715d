import { type Resource, type Stored } from "./draft.ts";
import { type Call, type Context, type Endpoint } from "./endpoint.ts";
import type { Kind } from "./records/kinds.ts";
import type { Model } from "./records/model.ts";
/** The standard endpoints of a resource: list, create, get, update, archive, restore. */
export declare function resource<Around>(declared: Resource<Around>): readonly Endpoint[];
/**
 * The record that the path names.
 * @throws ApiError 404, the same whether the id is unknown, malformed, archived or another tenant's
 */
export declare function findRecord(model: Model<Kind>, call: Call, { storage }: Context, archived?: boolean): Promise<Stored>;
