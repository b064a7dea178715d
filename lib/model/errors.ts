/** The values of `error.code`. The list is closed, so that clients can handle every code. */
export type ErrorCode =
  | "validation_error"
  | "invalid_cursor"
  | "bad_request"
  | "unauthorized"
  | "insufficient_scope"
  | "not_found"
  | "duplicate"
  | "conflict"
  | "tenant_without_admin"
  | "invalid_reference"
  | "idempotency_key_reused"
  | "unknown_custom_field"
  | "invalid_custom_field"
  | "rate_limited"
  | "internal_error";

/** Default HTTP status of each code. */
const statusOf: Readonly<Record<ErrorCode, number>> = {
  validation_error: 400,
  invalid_cursor: 400,
  bad_request: 400,
  unauthorized: 401,
  insufficient_scope: 403,
  not_found: 404,
  duplicate: 409,
  conflict: 409,
  tenant_without_admin: 409,
  invalid_reference: 422,
  idempotency_key_reused: 422,
  unknown_custom_field: 422,
  invalid_custom_field: 422,
  rate_limited: 429,
  internal_error: 500,
};

export const errorCodes = Object.keys(statusOf) as readonly ErrorCode[];

/** The values of `code` in a field error. */
export const fieldErrorCodes = [
  "required",
  "required_at_stage",
  "required_at_status",
  "invalid_type",
  "invalid_format",
  "not_an_option",
  "too_long",
  "out_of_range",
  "unknown_key",
  "not_found",
  "inactive",
  "not_in_pipeline",
  "read_only",
] as const;

/**
 * The limits that a value exceeds. Most names are those of JSON Schema. `totalDigits` is the maximum number of significant digits,
 * as in XML Schema. `notBefore` and `notAfter` are date-times.
 */
export type Limits = {
  readonly [name in "minimum" | "maximum" | "maxLength" | "minItems" | "maxItems" | "totalDigits"]?: number;
} & { readonly notBefore?: string; readonly notAfter?: string };

/** An error of one value. `path` is a JSON Pointer into the body, or `?name` for a query parameter. */
export type FieldError = {
  readonly path: string;
  readonly code: (typeof fieldErrorCodes)[number];
  readonly message: string;
  readonly allowed?: readonly string[];
  /** The known value or name that is closest to a misspelled one. The message ends with it. */
  readonly suggestion?: string;
  readonly limits?: Limits;
};

/** The kinds of checks, the most severe first. */
const issueKinds = ["shape", "invalid_reference", "rule", "unknown_custom_field", "invalid_custom_field"] as const;

/** A field error and the kind of check that found it. */
export type ValidationIssue = { readonly kind: (typeof issueKinds)[number]; readonly problem: FieldError };

export type ApiErrorOptions = {
  readonly status?: number;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
};

/** An error that is sent to the caller. Any other exception becomes `500 internal_error`. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>>;

  /** @throws TypeError for a code that isn't an `ErrorCode`, for hosts that aren't written in TypeScript */
  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    if (!Object.hasOwn(statusOf, code))
      throw new TypeError(`Unknown error code "${code}". Use one of: ${Object.keys(statusOf).join(", ")}.`);
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ApiError";
    this.code = code;
    this.status = options.status ?? statusOf[code];
    this.details = options.details;
    this.headers = options.headers ?? {};
  }

  /** Returns the response body. */
  toJSON(): { error: { code: ErrorCode; message: string; details?: Readonly<Record<string, unknown>> } } {
    const { code, message, details } = this;
    return { error: details === undefined ? { code, message } : { code, message, details } };
  }
}

const maxErrors = 50;
/** Limits of the JSON of `details.errors` and of `allowed`. They keep an error response under 64 KiB. */
const maxErrorsBytes = 60_000;
const maxAllowedBytes = 1_000;
const maxAllowedValues = 20;
const maxMessageLength = 300;
/** Length of the part that a shortened message keeps from its end, where it suggests a value. */
const messageEndLength = 100;

/**
 * Returns one error for all issues. Its code and message are those of the most severe kind, its status is 400 if there
 * is a shape issue, and 422 otherwise. If there are too many issues, messages are shortened, the list is truncated, and
 * `details.errorCount` is the total.
 */
export function validationError(issues: readonly ValidationIssue[]): ApiError {
  const kind = issueKinds.find((each) => issues.some((issue) => issue.kind === each)) ?? "shape";
  const code = kind === "shape" || kind === "rule" ? "validation_error" : kind;
  const status = kind === "shape" ? 400 : 422;
  const shortened = issues.slice(0, maxErrors).map(({ problem }) => shorten(problem));
  const errors = takeWithinBytes(shortened, maxErrorsBytes);
  const severest = issues.find((issue) => issue.kind === kind);
  const first = severest === undefined ? "The request is invalid." : shorten(severest.problem).message;
  const message = issues.length > 1 ? `${first} (and ${issues.length - 1} more: see details.errors)` : first;
  const details = errors.length === issues.length ? { errors } : { errors, errorCount: issues.length };
  return new ApiError(code, message, { status, details });
}

function shorten(error: FieldError): FieldError {
  const { message, allowed } = error;
  const start = message.slice(0, maxMessageLength - messageEndLength - 3);
  const short =
    message.length <= maxMessageLength ? message : `${start}...${message.slice(-messageEndLength)}`.toWellFormed();
  if (allowed === undefined) return { ...error, message: short };
  return { ...error, message: short, allowed: takeWithinBytes(allowed.slice(0, maxAllowedValues), maxAllowedBytes) };
}

/** Returns the first value and those after it that fit into `maxBytes` of JSON. */
export function takeWithinBytes<T>(values: readonly T[], maxBytes: number): readonly T[] {
  let bytes = 0;
  const end = values.findIndex((value, index) => {
    bytes += new TextEncoder().encode(JSON.stringify(value)).length + 1;
    return bytes > maxBytes && index > 0;
  });
  return end === -1 ? values : values.slice(0, end);
}
