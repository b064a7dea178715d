/** Every `error.code` the API can answer with. The list is closed: new situations reuse the nearest code. */
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

/** The HTTP status of a code where nothing more particular is said (405, 413, 415, 422, 431 and 503 are said). */
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

/** What can be wrong with one value. */
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

/** What is wrong with one value. `path` is a JSON Pointer into the body, or `?name` for a query parameter. */
export type FieldError = {
  readonly path: string;
  readonly code: (typeof fieldErrorCodes)[number];
  readonly message: string;
  readonly allowed?: readonly string[];
};

/** The kinds of problem, the one that names the whole answer first. `shape` alone is a 400, the rest are 422. */
const problemKinds = ["invalid_reference", "rule", "shape", "unknown_custom_field", "invalid_custom_field"] as const;

/** A problem together with the kind of check that found it. */
export type ValidationIssue = { readonly kind: (typeof problemKinds)[number]; readonly problem: FieldError };

export type ApiErrorOptions = {
  readonly status?: number;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
};

/** The one error that reaches a caller as it is; whatever else is thrown becomes `500 internal_error`. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ApiError";
    this.code = code;
    this.status = options.status ?? statusOf[code];
    this.details = options.details;
    this.headers = options.headers ?? {};
  }

  /** The body of the answer: `{ error: { code, message, details? } }`, nothing more. */
  toJSON(): { error: { code: ErrorCode; message: string; details?: Readonly<Record<string, unknown>> } } {
    const { code, message, details } = this;
    return { error: details === undefined ? { code, message } : { code, message, details } };
  }
}

/** An answer names as many problems as fit into this; `details.errorCount` says how many there were. */
const problemsBytesMax = 3_000;
/** How long what is told of one problem may be: the first with which all have room, or else the last. */
const lengths = [
  { messageMax: 700, allowedMax: 1_000 },
  { messageMax: 350, allowedMax: 250 },
  { messageMax: 200, allowedMax: 80 },
  { messageMax: 90, allowedMax: 0 },
] as const;

/** One error that names every problem found, under the code of the gravest kind among them. */
export function validationError(findings: readonly ValidationIssue[]): ApiError {
  const kind = problemKinds.find((name) => findings.some((finding) => finding.kind === name)) ?? "shape";
  const code = kind === "shape" || kind === "rule" ? "validation_error" : kind;
  const status = findings.every((finding) => finding.kind === "shape") ? 400 : 422;
  const errors = problemsOf(findings);
  const first = findings.find((finding) => finding.kind === kind);
  const reported = first === undefined ? "The request is not valid." : truncate(first.problem, lengths[0]).message;
  const more = findings.length - 1;
  const message = more > 0 ? `${reported} (and ${more} more: see details.errors)` : reported;
  const details = errors.length === findings.length ? { errors } : { errors, errorCount: findings.length };
  return new ApiError(code, message, { status, details });
}

function problemsOf(findings: readonly ValidationIssue[]): readonly FieldError[] {
  let reported: readonly FieldError[] = [];
  for (const length of lengths) {
    reported = takeWithinBytes(findings, problemsBytesMax, ({ problem }) => truncate(problem, length));
    if (reported.length === findings.length) break;
  }
  return reported;
}

/** A long list of what is allowed is cut, the catalogue has it whole; what was meant stays in the message. */
function truncate(problem: FieldError, { messageMax, allowedMax }: (typeof lengths)[number]): FieldError {
  const { message, allowed, ...place } = problem;
  const some =
    allowed === undefined || allowedMax === 0 ? {} : { allowed: takeWithinBytes(allowed, allowedMax, (each) => each) };
  if (message.length <= messageMax && bytesOf(message) <= messageMax) return { ...place, message, ...some };
  const hint = / Did you mean "[^"]{1,80}"\?$/.exec(message)?.[0] ?? "";
  let short = message.slice(0, Math.min(messageMax, message.length - hint.length));
  while (bytesOf(short) > messageMax) short = short.slice(0, -Math.ceil(short.length / 8));
  return { ...place, message: `${short.toWellFormed()}...${hint}`, ...some };
}

/** As many values from the front as fit once they are made, and the first one anyway. The rest is not made. */
function takeWithinBytes<T, Made>(values: readonly T[], bytesMax: number, make: (value: T) => Made): readonly Made[] {
  const made: Made[] = [];
  let bytes = 0;
  for (const value of values) {
    const next = make(value);
    bytes += bytesOf(next) + 1;
    if (bytes > bytesMax && made.length > 0) break;
    made.push(next);
  }
  return made;
}

/** How much of an answer this takes: a control character is six bytes there. */
function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
