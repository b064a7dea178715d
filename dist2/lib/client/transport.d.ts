export type ClientOptions = {
    /** Ends in `/integrations/v1`. */
    readonly baseUrl: string;
    readonly apiKey: string;
    /** The platform's where it is absent. */
    readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
    /** How often a request is tried again after 429, 500, 503 or no answer; 4 where it is absent. */
    readonly retries?: number;
    /** How long one try may take; 30,000 where it is absent. */
    readonly timeoutMs?: number;
    /** Waits before a try; the platform's timer where it is absent. `signal` is the call's, which may end the wait. */
    readonly wait?: (ms: number, signal?: AbortSignal) => Promise<void>;
};
export type CallOptions = {
    /** Ends the call, and the waiting for another try. */
    readonly signal?: AbortSignal;
    /** A uuid under which a POST happens once; a new one where it is absent and the POST writes. The same from try to try. */
    readonly idempotencyKey?: string;
};
/** Options of an update or archive. */
export type ChangeOptions = CallOptions & {
    /**
     * The `updatedAt` of the record that you read. If the record has changed since, nothing is written and the call
     * throws a `CrmError` with status 412.
     */
    readonly ifMatch?: string;
};
export type Sent = ChangeOptions & {
    readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
    readonly body?: unknown;
    /** A POST that changes nothing: without a key of the caller's it has none, so that no answer is kept for it. */
    readonly readsOnly?: boolean;
};
/** An answer that is a success: its JSON, undefined where there is none, and its headers. */
export type Answer = {
    readonly body: unknown;
    readonly headers: Headers;
};
export type Send = (method: string, path: string, sent?: Sent) => Promise<Answer>;
/**
 * Sends requests until they are answered, or have been tried often enough. @throws CrmError @throws CrmConnectionError
 * @throws TypeError at once where the key cannot be one
 */
export declare function transport(options: ClientOptions): Send;
