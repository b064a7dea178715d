import type { Caller, Context, Endpoint } from "./endpoint.ts";
import { type StoredResponse } from "./idempotency.ts";
import { type EndpointRequest } from "./incoming.ts";
import { type Storage, type Write } from "./storage.ts";
/** A response before it is put on the wire. `body` is JSON text, or null if there is none. */
export type EndpointResponse = StoredResponse & {
    readonly replayed: boolean;
    readonly headers: Readonly<Record<string, string>>;
};
/** What `runEndpoint` works with. Handlers see the context only. */
export type Runtime = {
    readonly storage: Storage;
    readonly context: Context;
    /** Called with the writes of a caller's commit after it is durable, without the idempotency record. Must not throw. */
    readonly onCommitted: ((writes: readonly Write[], caller: Caller) => void) | undefined;
};
/**
 * Runs one endpoint call: scope, tenant, replay, validation, handler, commit. No other function writes for a caller.
 * Runs the handler again if its reads are stale. The handler's writes and the idempotency record commit together or not at all.
 * @throws ApiError for everything that the caller can correct
 * @throws StorageUnavailable if the storage can't commit, or after `maxAttempts` write conflicts
 */
export declare function runEndpoint(runtime: Runtime, endpoint: Endpoint, request: EndpointRequest): Promise<EndpointResponse>;
