import { ApiError, type ErrorCode, type FieldError, type Limits, takeWithinBytes } from "../model/errors.ts";
import type { RequestProblem, RequestStep } from "../storage/request-log.ts";

type Json = Readonly<Record<string, unknown>>;
type LoggedError = RequestProblem["errors"][number];
/** The part of an error that explains it, also of an operation in a batch. */
type ExplainedError = { readonly code: ErrorCode; readonly status: number; readonly details?: Json | undefined };
/** A failed operation in the response to a batch. */
type FailedItem = { readonly index: number; readonly status: number; readonly error: ExplainedError };

const numericLimits = ["minimum", "maximum", "maxLength", "minItems", "maxItems", "totalDigits"];
const timeLimits = ["notBefore", "notAfter"];

/** Maximum size of the JSON of the errors in an entry. */
const maxErrorsBytes = 8 * 1024;
const maxShapeMembers = 50;
const maxShapeBytes = 2 * 1024;
const maxNameLength = 100;

/**
 * Explains a failed request without any value that the caller sent.
 * @param isAuthenticated whether the caller is known
 * @param body the parsed body, if there is one
 */
export function problemOf(error: ApiError, isAuthenticated: boolean, body: Json | undefined): RequestProblem {
  const { details = {} } = error;
  const items = Array.isArray(details.items) ? (details.items as readonly FailedItem[]) : [];
  const [firstItem] = items;
  const explained = firstItem === undefined ? error : { ...firstItem.error, status: firstItem.status };
  return {
    step: stepOf(explained, isAuthenticated),
    errors: takeWithinBytes(items.length > 0 ? items.flatMap(errorsOfItem) : errorsOf(details), maxErrorsBytes),
    ...(body !== undefined && { body: shapeOf(body) }),
    ...reasonsOf(explained),
  };
}

/** Explains the failed operations in the response to a batch. Null if all succeeded. */
export function problemOfBatch(responseBody: string, body: Json | undefined): RequestProblem | null {
  const { data } = JSON.parse(responseBody) as { readonly data: readonly Partial<FailedItem>[] };
  const items = data.filter(({ error }) => error !== undefined) as readonly FailedItem[];
  const error = new ApiError("validation_error", "", { details: { items } });
  return items.length === 0 ? null : problemOf(error, true, body);
}

function errorsOfItem({ index, error: { details = {} } }: FailedItem): readonly LoggedError[] {
  return errorsOf(details).map((error) => ({ ...error, path: `/operations/${index}/data${error.path}` }));
}

/** Returns the field errors of an error. A host can throw an `ApiError` with any details. */
function errorsOf({ errors }: Json): readonly LoggedError[] {
  if (!Array.isArray(errors)) return [];
  const valid = errors.filter(
    (error): error is FieldError => typeof error?.path === "string" && typeof error.code === "string",
  );
  return valid.map(({ path, code, allowed, limits }) => ({
    path,
    code,
    ...(Array.isArray(allowed) && { allowed }),
    ...(areLimits(limits) && { limits }),
  }));
}

/** Whether a value has nothing but limits. A host could have put any text there. */
function areLimits(value: unknown): value is Limits {
  const isLimit = ([name, limit]: [string, unknown]): boolean =>
    timeLimits.includes(name)
      ? /^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z$/.test(String(limit))
      : numericLimits.includes(name) && typeof limit === "number";
  return isObject(value) && Object.entries(value).every(isLimit);
}

function reasonsOf({ code, details = {} }: ExplainedError): Partial<RequestProblem> {
  const { reason, required, existingId, path, usedAt } = details;
  return {
    ...(isName(reason) && { reason }),
    ...(isName(required) && { required }),
    ...(code === "duplicate" && typeof existingId === "string" && { existingId }),
    ...(code === "idempotency_key_reused" && { firstUse: { path: String(path), usedAt: String(usedAt) } }),
  };
}

/** Whether a value is a word of this API, such as a reason, or the names of scopes. */
function isName(value: unknown): value is string {
  return typeof value === "string" && /^[a-z_: ]{1,100}$/.test(value);
}

/** The steps of the codes that have only one. */
const stepsOfCodes: Partial<Record<ErrorCode, RequestStep>> = {
  unauthorized: "authentication",
  insufficient_scope: "scope",
  bad_request: "json",
  invalid_cursor: "shape",
  idempotency_key_reused: "idempotency",
  not_found: "existence",
  unknown_custom_field: "rules",
  invalid_custom_field: "rules",
  tenant_without_admin: "rules",
  duplicate: "commit",
};

function stepOf({ code, status, details }: ExplainedError, isAuthenticated: boolean): RequestStep {
  if (status >= 500) return "server";
  if (status === 413) return "size";
  if (code === "rate_limited") return isAuthenticated ? "rate_limit" : "authentication";
  if (code === "validation_error") return status === 400 ? "shape" : "rules";
  // An outdated version is checked together with the existence of the record.
  if (code === "conflict") return details?.reason === "stale" ? "existence" : "commit";
  if (code === "invalid_reference") return isTenantError(details ?? {}) ? "tenant" : "references";
  return stepsOfCodes[code] ?? "server";
}

function isTenantError(details: Json): boolean {
  return errorsOf(details).every(({ path }) => /^(?:\?tenantId|\/tenantId|x-tenant-id)$/.test(path));
}

/** Returns the members of a body with the types of their values: at most 50 members and 2 KiB of JSON. */
export function shapeOf(body: Json): Json {
  let [members, bytes] = [0, 2];
  const shapeOfObject = (object: Json): Json => {
    const shape: Record<string, unknown> = Object.create(null);
    for (const [name, value] of Object.entries(object)) {
      const key = hideApiKeys(name.slice(0, maxNameLength).toWellFormed());
      const text = isObject(value) ? {} : describe(value);
      bytes += Buffer.byteLength(JSON.stringify([key, text])) + 1;
      if (++members > maxShapeMembers || bytes > maxShapeBytes) break;
      shape[key] = isObject(value) ? shapeOfObject(value) : text;
    }
    return shape;
  };
  return shapeOfObject(body);
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return `array(${value.length})`;
  return typeof value === "string" ? `string(${value.length})` : typeof value;
}

/** Masks API keys in the name of a member or parameter. */
export function hideApiKeys(name: string): string {
  return name.replace(/crm_(live|test)_\w+/g, "crm_$1_…");
}
