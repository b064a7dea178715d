import { type AdminAuth } from "../auth/admin-token.ts";
import type { Caller, Endpoint, HostRules } from "../endpoint.ts";
import { type RandomBytes } from "../ids.ts";
import { type Clock, type Limiter } from "../limits.ts";
import type { Storage, Write } from "../storage.ts";
import { type HttpRuntime } from "./app.ts";
import type { Authenticate } from "./authenticate-request.ts";
import { type OperationCall, type OperationResult } from "./operations.ts";
import type { RequestEnv } from "./request-env.ts";
import type { RequestSummary } from "./request-log.ts";
/** Receives server errors. Compatible with pino and similar loggers. */
export type Logger = {
    error(fields: Readonly<Record<string, unknown>>, message: string): void;
};
export type ApiOptions = {
    readonly storage: Storage;
    /** The default is the system clock. */
    readonly clock?: Clock;
    /** Returns a new UUID. The default is version 7. */
    readonly ids?: () => string;
    /** Limits the requests per API key. The default is 300 per minute, counted in this process. */
    readonly limiter?: Limiter;
    /** Replaces API keys on the integration endpoints. Scopes and rate limit apply as they do to API keys. */
    readonly authenticate?: Authenticate;
    /** Validation rules of the host. They run with the rules of the tenant, and all errors are reported together. */
    readonly rules?: HostRules;
    /**
     * Called once for each commit of a caller's request, after it is durable. The response doesn't wait for it. A crash
     * can skip it, so use it as a wake-up signal only.
     */
    readonly onCommitted?: (writes: readonly Write[], caller: Caller) => void | Promise<void>;
    /** Called for each request before its response is sent, for logs and metrics. */
    readonly onRequest?: (summary: RequestSummary) => void;
    /** Limits failed authentication per client address. The default is 60 per minute, counted in this process. */
    readonly failureLimiter?: Limiter;
    /** Verifies admin tokens. Without it, the admin endpoints respond with 401. */
    readonly adminAuth?: AdminAuth;
    /** The default is the random generator of the system. */
    readonly random?: RandomBytes;
    /** Maximum number of concurrent requests; more get 503. Requests whose body is still arriving don't count. The default is 2,000. */
    readonly inFlightMax?: number;
    /** Nothing is logged by default. */
    readonly logger?: Logger;
};
export type Api = {
    /** Handles a request under any path prefix. Never rejects. The same as `crmApp(api).fetch`. */
    fetch(request: Request, env?: RequestEnv): Promise<Response>;
    /**
     * The operations by name, for callers in the same process. Some exist only here: createUser, updateUser, archiveUser,
     * listIntegrations, createIntegration, updateIntegration. They reject with `ApiError`.
     */
    readonly operations: Readonly<Record<string, (call: OperationCall) => Promise<OperationResult>>>;
    /** Every operation as a value. */
    readonly endpoints: readonly Endpoint[];
    /** What `crmApp` needs. Not meant for hosts. */
    readonly runtime: HttpRuntime;
    /** Rejects new requests with 503, waits for running requests, operations and `onCommitted` calls, then closes the storage. */
    close(): Promise<void>;
};
/** Creates the API over a storage. It starts one timer, which doesn't keep the process alive. */
export declare function createApi(options: ApiOptions): Api;
