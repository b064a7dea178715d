import type { HttpRuntime } from "./app.ts";
import { type HostCaller } from "./authenticate-request.ts";
/** One call of an operation without HTTP. The host authenticates the caller. */
export type OperationCall = {
    readonly caller: HostCaller;
    readonly params?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string | number | boolean>>;
    readonly body?: Readonly<Record<string, unknown>>;
    readonly idempotencyKey?: string;
    /** ETags, as in the header If-Match: an update or archive rejects with status 412 if the record has changed. */
    readonly ifMatch?: string;
    /** ETags, as in the header If-None-Match: a read returns status 304 if the record is unchanged. */
    readonly ifNoneMatch?: string;
};
export type OperationResult = {
    readonly status: number;
    readonly body: unknown;
    readonly location: string | null;
    readonly replayed: boolean;
    readonly headers: Readonly<Record<string, string>>;
};
/** Returns the operations by name. */
export declare function createOperations(runtime: HttpRuntime): Readonly<Record<string, (call: OperationCall) => Promise<OperationResult>>>;
