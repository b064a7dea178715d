export { type Client, createClient } from "./client.ts";
export type {
  BatchItemResult,
  BatchOperation,
  CheckpointStore,
  Collection,
  Page,
  Pages,
  SyncOptions,
  UpsertOptions,
  UpsertResult,
} from "./collection.ts";
export { CrmConnectionError, CrmError } from "./error.ts";
export type { Events, FollowOptions } from "./events.ts";
export {
  type CallOptions,
  type ChangeOptions,
  type ClientOptions,
  type ClientResponse,
  createTransport,
  type RequestOptions,
  type SendRequest,
  type TransportOptions,
  type WriteOptions,
} from "./transport.ts";
export type * from "./types.ts";
