import type * as v from "valibot";
import type { RateLimitResult } from "../auth/rate-limiter.ts";
import { ApiError, type FieldError, type ValidationIssue, validationError } from "../model/errors.ts";
import { emptyBody } from "../model/schemas.ts";
import { strictObject, type ValidationResult, validate } from "../model/validate.ts";
import { parseEntityTags } from "./conditional-requests.ts";
import type { Caller, Endpoint, EndpointCall, HandlerContext } from "./endpoint.ts";
import {
  type IdempotentRequest,
  idempotencyRecordId,
  parseIdempotencyKey,
  type RecordRead,
  unquoteIdempotencyKey,
} from "./idempotency.ts";
import { isDryRun, preferIssues } from "./preferences.ts";

type Body = Readonly<Record<string, unknown>>;

/** A request to an endpoint, over HTTP or in process. */
export type EndpointRequest = {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Errors in the encoding of the query string. */
  readonly queryIssues?: readonly ValidationIssue[];
  readonly body: Body | undefined;
  readonly idempotencyKey?: string | null | undefined;
  /** The read of its idempotency record, if it has begun. */
  readonly recordRead?: RecordRead | undefined;
  /** The If-Match header. */
  readonly ifMatch?: string | null | undefined;
  /** The If-None-Match header. */
  readonly ifNoneMatch?: string | null | undefined;
  /** The Prefer header. */
  readonly prefer?: string | null | undefined;
  /** The x-tenant-id header. */
  readonly tenantId?: string | null | undefined;
  readonly rate?: RateLimitResult | undefined;
  /** The settings version of the tenant that was read to authenticate the caller. */
  readonly settingsVersion?: number | undefined;
  /** The X-Request-Id. Events have it. */
  readonly requestId?: string | undefined;
  /** Awaited after all checks, before the commit. Called again if the commit conflicts with another. */
  readonly beforeCommit?: (() => Promise<void>) | undefined;
};

/** @throws ApiError `403 insufficient_scope`, with `details.required` */
export function assertScope(endpoint: Endpoint, { caller, query }: Pick<EndpointRequest, "caller" | "query">): void {
  const scope = typeof endpoint.scope === "function" ? endpoint.scope(query) : endpoint.scope;
  if (scope === undefined || caller.scopes.includes(scope)) return;
  const message = `This ${callerName(caller)} doesn't have the required scope ${scope}.`;
  throw new ApiError("insufficient_scope", message, { details: { required: scope, granted: caller.scopes } });
}

/** Returns `403 insufficient_scope` for a caller who needs at least one of these scopes and has none. */
export function noScopeError(required: readonly string[], caller: Caller): ApiError {
  const message = `This ${callerName(caller)} has none of the scopes ${required.join(", ")}.`;
  const details = { required: required.join(" "), granted: caller.scopes };
  return new ApiError("insufficient_scope", message, { details });
}

/** Returns what messages call the caller. One that the host has authenticated can have no API key. */
function callerName({ keyId }: Caller): string {
  return keyId === null ? "caller" : "API key";
}

/** @throws ApiError `400 bad_request` if a required body is missing */
export function assertBody(endpoint: Endpoint, { body }: EndpointRequest): void {
  if (body === undefined && endpoint.body !== undefined && endpoint.body.type !== "optional")
    throw new ApiError("bad_request", "The body is empty. Send a JSON object.");
}

/**
 * Returns what identifies a POST, and the ID of its idempotency record. Undefined in a dry run or without a valid
 * Idempotency-Key.
 */
export function toIdempotentRequest(endpoint: Endpoint, request: EndpointRequest): IdempotentRequest | undefined {
  const { caller, params, query, body } = request;
  const id = endpoint.method === "POST" ? idempotencyRecordId(caller, request.idempotencyKey) : undefined;
  // A query with encoding errors identifies no request. It is rejected later.
  if (id === undefined || request.queryIssues?.length || isDryRun(endpoint, request)) return undefined;
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? "");
  return { id, integrationId: caller.integrationId, request: { method: endpoint.method, path, query, body } };
}

/**
 * The caller determines the tenant. Every tenant ID in the request must match it. The error is the same whether or not
 * another tenant has that ID.
 * @throws ApiError `422 invalid_reference`
 */
export function assertTenantIds(endpoint: Endpoint, request: EndpointRequest): void {
  const { caller } = request;
  const { tenantId } = caller;
  const wrong = tenantIds(request).filter(([, id]) => typeof id === "string" && id.trim().toLowerCase() !== tenantId);
  if (wrong.length === 0) return;
  const [credential, source] =
    endpoint.access === "admin"
      ? ["token", "the tenantId of the token"]
      : [callerName(caller), "the ID that GET /me returns"];
  const remedy = hasTenantId(endpoint.body) ? `Send ${source}.` : `Omit it or send ${source}.`;
  const message = `tenantId doesn't match the tenant of this ${credential}. ${remedy}`;
  throw validationError(
    wrong.map(([path]) => ({ kind: "invalid_reference", problem: { path, code: "not_found", message } })),
  );
}

/**
 * Validates the query, the body and the headers against the endpoint. If there are issues, the query and the body of
 * the call have only their valid members.
 */
export function parseRequest(
  endpoint: Endpoint,
  request: EndpointRequest,
): { readonly call: EndpointCall; readonly issues: readonly ValidationIssue[] } {
  const { caller, params, rate, body, ifNoneMatch } = request;
  const query = validate(strictObject(endpoint.query), queryOf(endpoint, request), "?", ["tenantId"]);
  // An endpoint without a body schema rejects all members except tenantId, so that nothing is silently ignored.
  const schema = endpoint.body ?? emptyBody;
  const validatesTenantId = hasTenantId(endpoint.body);
  const parsedBody = validate(schema, validatesTenantId ? body : withoutTenantId(body), "", ["tenantId"]);
  const ifMatchHeader = usesIfMatch(endpoint) ? (request.ifMatch ?? undefined) : undefined;
  const ifMatch = ifMatchHeader === undefined ? undefined : parseEntityTags(ifMatchHeader);
  const issues = [
    ...(validatesTenantId ? [] : tenantIdIssues(request)),
    ...(request.queryIssues ?? []),
    ...("issues" in query ? query.issues.map((issue) => withCursorHint(endpoint, issue)) : []),
    ...("issues" in parsedBody ? parsedBody.issues : []),
    ...idempotencyKeyIssues(endpoint, request),
    ...(ifMatchHeader !== undefined && ifMatch === undefined ? [invalidIfMatch] : []),
    ...unsupportedIfMatchIssues(endpoint, request),
    ...preferIssues(endpoint, request),
  ];
  const call = { caller, params, rate, ifMatch, ifNoneMatch, query: validOf(query), body: validOf(parsedBody) };
  return { call, issues };
}

/** @throws ApiError with all errors of the request if it is malformed */
export async function parseValidRequest(
  endpoint: Endpoint,
  request: EndpointRequest,
  context: HandlerContext,
): Promise<EndpointCall> {
  const { call, issues } = parseRequest(endpoint, request);
  if (issues.length === 0) return call;
  throw validationError((await endpoint.findIssues?.(call, issues, context)) ?? issues);
}

function validOf(result: ValidationResult<unknown>): unknown {
  return "value" in result ? result.value : result.valid;
}

/**
 * Returns the paths and values of the tenant IDs in a request. Every request may have one in the query, the body and a
 * header.
 */
function tenantIds({ query, body, tenantId }: EndpointRequest): readonly (readonly [string, unknown])[] {
  const ids = [
    ["?tenantId", query.tenantId],
    ["/tenantId", body?.tenantId],
    ["x-tenant-id", tenantId ?? undefined],
  ] as const;
  return ids.filter(([, id]) => id !== undefined);
}

function tenantIdIssues(request: EndpointRequest): ValidationIssue[] {
  const wrong = tenantIds(request).filter(([, id]) => typeof id !== "string");
  return wrong.map(([path]) => shapeIssue(path, "invalid_type", "tenantId must be a string."));
}

/** Whether the body schema has a tenantId and so validates it. */
function hasTenantId(body: v.GenericSchema | undefined): boolean {
  return body !== undefined && "entries" in body && Object.hasOwn(body.entries as object, "tenantId");
}

/** Parameters that count as absent if they are empty. No-code tools send both on the first page. */
export const absentIfEmpty: readonly string[] = ["cursor", "updatedSince"];

function queryOf(endpoint: Endpoint, { query }: EndpointRequest): Body | undefined {
  const empty = absentIfEmpty.filter((name) => query[name] === "" && name in endpoint.query);
  if (empty.length === 0) return withoutTenantId(query);
  return withoutTenantId(Object.fromEntries(Object.entries(query).filter(([name]) => !empty.includes(name))));
}

const nextPage = "Use cursor to get the next page.";
/** Hints for the paging parameters of other APIs. */
const cursorHints: Readonly<Record<string, string>> = {
  "?page": nextPage,
  "?offset": nextPage,
  "?sort": `Pages are sorted by updatedAt. ${nextPage}`,
  "?per_page": "Use limit to set the page size, and cursor to get the next page.",
};

function withCursorHint(endpoint: Endpoint, issue: ValidationIssue): ValidationIssue {
  const { path, code } = issue.problem;
  const hint = code === "unknown_key" && "cursor" in endpoint.query ? cursorHints[path] : undefined;
  if (hint === undefined) return issue;
  const message = `Unknown parameter "${path.slice(1)}". ${hint}`;
  return { ...issue, problem: { ...issue.problem, message } };
}

function withoutTenantId(values: Body | undefined): Body | undefined {
  if (values === undefined || !Object.hasOwn(values, "tenantId")) return values;
  const { tenantId: _, ...rest } = values;
  return rest;
}

function idempotencyKeyIssues({ method }: Endpoint, { idempotencyKey }: EndpointRequest): ValidationIssue[] {
  if (method !== "POST" || typeof idempotencyKey !== "string" || parseIdempotencyKey(idempotencyKey)) return [];
  const isEmpty = unquoteIdempotencyKey(idempotencyKey) === "";
  const problem = isEmpty ? "is empty" : "must have 1 to 255 printable ASCII characters";
  const message = `Idempotency-Key ${problem}. Send a new UUID for each operation, or omit the header.`;
  return [shapeIssue("Idempotency-Key", "invalid_format", message)];
}

function usesIfMatch({ method, hasETag }: Endpoint): boolean {
  return hasETag === true && (method === "PATCH" || method === "DELETE");
}

/** A caller who sends a version expects that nothing is written if the record has another one. */
function unsupportedIfMatchIssues(endpoint: Endpoint, { ifMatch }: EndpointRequest): ValidationIssue[] {
  if (typeof ifMatch !== "string" || endpoint.method === "GET" || usesIfMatch(endpoint)) return [];
  const message = "If-Match isn't supported by this operation. Only PATCH and DELETE of a single record take it.";
  return [shapeIssue("If-Match", "invalid_format", message)];
}

function shapeIssue(path: string, code: FieldError["code"], message: string): ValidationIssue {
  return { kind: "shape", problem: { path, code, message } };
}

const invalidIfMatch = shapeIssue(
  "If-Match",
  "invalid_format",
  'If-Match must be * or an ETag in double quotes, such as "2026-10-19T13:29:53.614Z".',
);
