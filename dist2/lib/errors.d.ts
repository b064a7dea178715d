/** Every `error.code` the API can answer with. The list is closed: new situations reuse the nearest code. */
export type ErrorCode = "validation_error" | "invalid_cursor" | "bad_request" | "unauthorized" | "insufficient_scope" | "not_found" | "duplicate" | "conflict" | "tenant_without_admin" | "invalid_reference" | "idempotency_key_reused" | "unknown_custom_field" | "invalid_custom_field" | "rate_limited" | "internal_error";
/** What can be wrong with one value. */
export declare const problemCodes: readonly ["required", "required_at_stage", "required_at_status", "invalid_type", "invalid_format", "not_an_option", "too_long", "out_of_range", "unknown_key", "not_found", "inactive", "not_in_pipeline", "read_only"];
/** What is wrong with one value. `path` is a JSON Pointer into the body, or `?name` for a query parameter. */
export type Problem = {
    readonly path: string;
    readonly code: (typeof problemCodes)[number];
    readonly message: string;
    readonly allowed?: readonly string[];
};
/** The kinds of problem, the one that names the whole answer first. `shape` alone is a 400, the rest are 422. */
declare const problemKinds: readonly ["invalid_reference", "rule", "shape", "unknown_custom_field", "invalid_custom_field"];
/** A problem together with the kind of check that found it. */
export type Finding = {
    readonly kind: (typeof problemKinds)[number];
    readonly problem: Problem;
};
export type ErrorOptions = {
    readonly status?: number;
    readonly details?: Readonly<Record<string, unknown>>;
    readonly headers?: Readonly<Record<string, string>>;
    readonly cause?: unknown;
};
/** The one error that reaches a caller as it is; whatever else is thrown becomes `500 internal_error`. */
export declare class ApiError extends Error {
    readonly code: ErrorCode;
    readonly status: number;
    readonly details: Readonly<Record<string, unknown>> | undefined;
    readonly headers: Readonly<Record<string, string>>;
    constructor(code: ErrorCode, message: string, options?: ErrorOptions);
    /** The body of the answer: `{ error: { code, message, details? } }`, nothing more. */
    toJSON(): {
        error: {
            code: ErrorCode;
            message: string;
            details?: Readonly<Record<string, unknown>>;
        };
    };
}
/** One error that names every problem found, under the code of the gravest kind among them. */
export declare function problemsError(findings: readonly Finding[]): ApiError;
export {};
