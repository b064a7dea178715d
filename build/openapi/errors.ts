import type { JsonSchema } from "@valibot/to-json-schema";
import type { Endpoint, ErrorCode } from "../../lib/index.ts";

/** What an error is: its status and code, when it is given, and what stands in its details. */
export const errorWords = {
  "400 bad_request":
    "The body can't be read: none, invalid JSON or UTF-8, a key twice in one object, more than 32 levels, more than " +
    "1,000 keys in one object, 1,000 entries in one list or 10,000 of both in all.",
  "400 validation_error":
    "The request has the wrong shape: a type, a format, an unknown or missing key, a limit out of range. " +
    "`details.errors` names every problem.",
  "400 invalid_cursor": "The cursor is not one that this list gave out for this tenant and these filters.",
  "401 unauthorized": "The credential is missing, malformed, unknown, revoked, expired or of the wrong sort.",
  "403 insufficient_scope": "The caller may not do this; `details.required` names what is missing.",
  "404 not_found":
    "There is no such thing in this tenant. An id that is malformed, archived or another tenant's is answered the same.",
  "409 duplicate": "The name or e-mail address is taken; `details.existingId` and `details.field` say by what.",
  "409 conflict": "The state forbids it; `details.reason` says why, `details.allowed` what is possible.",
  "409 tenant_without_admin": "An owner is needed, none was sent, and the tenant has no active administrator.",
  "412 conflict":
    "The record has changed since the version in If-Match. `details.reason` is `stale`, `details.updatedAt` the current version.",
  "413 bad_request": "The body is larger than 1 MiB (1048576 bytes).",
  "415 bad_request": "The body is not `application/json`, or it is compressed.",
  "422 validation_error":
    "What the tenant requires is missing, or a rule is broken. `details.errors` names every problem.",
  "422 invalid_reference":
    "An id names nothing in this tenant, or something that cannot be chosen; or a tenantId is not that of the key.",
  "422 unknown_custom_field": "The tenant has no custom field of this key.",
  "422 invalid_custom_field": "A value does not fit its custom field, or a required one would lose its value.",
  "422 idempotency_key_reused": "The Idempotency-Key was used for another request in the last 24 hours.",
  "429 rate_limited":
    "The rate limit is exceeded (300 requests per minute per API key), or too many authentication attempts from this address failed (60 per minute).",
  "500 internal_error":
    "A fault of the service. Retry with the same Idempotency-Key; report `details.requestId` if it stays.",
  "503 internal_error":
    "It cannot be done just now. Retry after as many seconds as Retry-After says, with the same key.",
} as const satisfies Readonly<Record<`${number} ${ErrorCode}`, string>>;

/** Such as `404 not_found`. */
export type ErrorName = keyof typeof errorWords;
const names = Object.keys(errorWords) as ErrorName[];

/** Answers that are the same wherever they are given, by the name of their component. */
export const commonErrors: Readonly<Record<string, ErrorName>> = {
  Unauthorized: "401 unauthorized",
  InsufficientScope: "403 insufficient_scope",
  NotFound: "404 not_found",
  Changed: "412 conflict",
  BodyTooLarge: "413 bad_request",
  NotJson: "415 bad_request",
  RateLimited: "429 rate_limited",
  InternalError: "500 internal_error",
  Unavailable: "503 internal_error",
};

/** Every error that this endpoint can answer with, by status. */
export function errorsOf(endpoint: Endpoint): ReadonlyMap<number, readonly ErrorName[]> {
  const { method, path, access, scope, query, hasETag, errors = [] } = endpoint;
  const given = (name: ErrorName): boolean => {
    const [status, code] = name.split(" ") as [string, ErrorCode];
    if (name === "400 invalid_cursor") return "cursor" in query;
    if (name === "403 insufficient_scope") return scope !== undefined || access === "admin";
    if (name === "404 not_found") return path.includes(":") || errors.includes(code);
    if (name === "422 invalid_reference") return true;
    if (name === "422 idempotency_key_reused") return method === "POST";
    if (status === "412") return hasETag === true && (method === "PATCH" || method === "DELETE");
    if (status === "413" || status === "415") return true;
    return status === "409" || status === "422" ? errors.includes(code) : true;
  };
  return Map.groupBy(names.filter(given), statusOf);
}

export function statusOf(name: ErrorName): number {
  return Number(name.slice(0, 3));
}

export function codeOf(name: ErrorName): string {
  return name.slice(4);
}

/** The envelope of this status: the codes that it can have here, and no others. */
export function errorSchema(given: readonly ErrorName[]): JsonSchema {
  const code = { enum: given.map(codeOf) };
  // The other members are named too: a reader that takes this part for itself finds nothing unknown.
  const narrowed: JsonSchema = { properties: { error: { properties: { code, message: {}, details: {} } } } };
  return { allOf: [{ $ref: "#/components/schemas/Error" }, narrowed] };
}
