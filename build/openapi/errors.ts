import type { Endpoint, ErrorCode } from "../../lib/index.ts";

/** Descriptions of all errors, by status and code. */
export const errorDescriptions = {
  "400 bad_request":
    "The body can't be read. It is missing, isn't valid JSON in UTF-8, repeats a key in an object, or exceeds a limit: " +
    "32 levels, 1,000 keys per object, 1,000 items per array, 10,000 keys and items in total.",
  "400 validation_error":
    "The request is malformed: a wrong type or format, an unknown or missing field, or a value out of range. " +
    "`details.errors` lists all errors.",
  "400 invalid_cursor": "The cursor is invalid, or it belongs to another list, tenant or set of filters.",
  "401 unauthorized":
    "The API key or admin token is missing, malformed, unknown, revoked, expired or not accepted by this operation.",
  "403 insufficient_scope": "The caller lacks the permission for this operation. `details.required` names it.",
  "404 not_found": "The record doesn't exist in this tenant, or it is archived.",
  "409 duplicate":
    "Another record already has this unique value, such as the name of an account, the email address of a contact or a " +
    "user, or the key of a custom field. `details.field` is the field, and `details.existingId` is the other record.",
  "409 conflict":
    "The record's state doesn't allow the change, or it has changed. `details.reason` and `details.allowed` explain why.",
  "409 tenant_without_admin": "`ownerId` is required because the tenant has no active admin.",
  "412 conflict":
    "The record has changed since the version in `If-Match`. `details.reason` is `stale`, and `details.updatedAt` is " +
    "the current version.",
  "413 bad_request": "The body is larger than 1 MiB (1,048,576 bytes).",
  "415 bad_request": "The body isn't `application/json`, or it is compressed.",
  "422 validation_error":
    "A field that the tenant requires is missing, or the request breaks a rule. `details.errors` lists all errors.",
  "422 invalid_reference":
    "An ID doesn't exist in this tenant or can't be used, or tenantId isn't the caller's tenant.",
  "422 unknown_custom_field": "The tenant has no custom field with this key.",
  "422 invalid_custom_field": "A value doesn't fit its custom field, or a required value would be removed.",
  "422 idempotency_key_reused":
    "The Idempotency-Key was used for a different request in the last 24 hours. `details.method`, `details.path` and " +
    "`details.usedAt` describe it.",
  "429 rate_limited":
    "The rate limit is exceeded (300 requests per minute per API key), or too many authentication attempts from this " +
    "address failed (60 per minute).",
  "500 internal_error":
    "Internal error. Retry with the same Idempotency-Key. If the error persists, report `details.requestId`.",
  "503 internal_error": "Temporarily unavailable. Retry after `Retry-After` seconds with the same Idempotency-Key.",
} as const satisfies Readonly<Record<`${number} ${ErrorCode}`, string>>;

/** A status and a code, such as `404 not_found`. */
export type ErrorName = keyof typeof errorDescriptions;
const names = Object.keys(errorDescriptions) as ErrorName[];

/** Errors with the same response in all operations, by component name. */
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

/** Returns all errors that an endpoint can respond with, by status. */
export function errorsOf(endpoint: Endpoint): ReadonlyMap<number, readonly ErrorName[]> {
  const { method, path, access, scope, query, hasETag, errors = [] } = endpoint;
  const isPossible = (name: ErrorName): boolean => {
    const [status, code] = name.split(" ") as [string, ErrorCode];
    if (name === "400 invalid_cursor") return "cursor" in query;
    if (name === "403 insufficient_scope")
      return scope !== undefined || access === "admin" || errors.includes("insufficient_scope");
    if (name === "404 not_found") return path.includes(":") || errors.includes(code);
    if (name === "422 invalid_reference") return true;
    if (name === "422 idempotency_key_reused") return method === "POST";
    if (status === "412") return hasETag === true && (method === "PATCH" || method === "DELETE");
    if (status === "413" || status === "415") return true;
    return status === "409" || status === "422" ? errors.includes(code) : true;
  };
  return Map.groupBy(names.filter(isPossible), statusOf);
}

export function statusOf(name: ErrorName): number {
  return Number(name.slice(0, 3));
}

export function codeOf(name: ErrorName): string {
  return name.slice(4);
}
