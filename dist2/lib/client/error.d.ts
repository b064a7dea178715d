import type { Problem } from "./types.ts";
/** An answer that is not a success. Decide by `code`; `message` is for people. */
export declare class CrmError extends Error {
    /** The HTTP status. */
    readonly status: number;
    /** The service's `error.code`; "unknown" where something else on the way has answered. */
    readonly code: string;
    readonly details: Readonly<Record<string, unknown>>;
    /** Everything that is wrong with the request, each with its place. */
    readonly problems: readonly Problem[];
    /** What to tell whoever runs the service. */
    readonly requestId: string | null;
    constructor(status: number, body: unknown, requestId: string | null, location?: string | null);
}
/** No whole answer came, however often it was tried. Whether the request was carried out is unknown. */
export declare class CrmConnectionError extends Error {
    constructor(cause: unknown);
}
