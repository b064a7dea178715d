export { type Client, createClient } from "./client.ts";
export type { Collection, Page, Pages, SyncOptions } from "./collection.ts";
export { CrmConnectionError, CrmError } from "./error.ts";
export type { CallOptions, ChangeOptions, ClientOptions } from "./transport.ts";
export type * from "./types.ts";
