import type * as v from "valibot";
import type { RateLimitResult } from "../auth/rate-limiter.ts";
import { ApiError, type ValidationIssue, validationError } from "../model/errors.ts";
import { emptyBody } from "../model/schemas.ts";
import { strictObject, validate } from "../model/validate.ts";
import { parseEntityTags } from "./conditional-requests.ts";
import type { Caller, Endpoint, EndpointCall } from "./endpoint.ts";
import { computeFingerprint, type IdempotentRequest, parseIdempotencyKey } from "./idempotency.ts";

type Body = Readonly<Record<string, unknown>>;

/** A request to an endpoint, over HTTP or in process. */
export type EndpointRequest = {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Errors in the encoding of the query string. */
  readonly queryFindings?: readonly ValidationIssue[];
  readonly body: Body | undefined;
  readonly idempotencyKey?: string | null | undefined;
  /** The header If-Match. */
  readonly ifMatch?: string | null | undefined;
  /** The header If-None-Match. */
  readonly ifNoneMatch?: string | null | undefined;
  /** The header x-tenant-id. */
  readonly tenantId?: string | null | undefined;
  readonly rate?: RateLimitResult | undefined;
};

/** @throws ApiError `403 insufficient_scope`, with `details.required` */
export function assertScope(
  endpoint: Endpoint,
  { caller: { scopes }, query }: Pick<EndpointRequest, "caller" | "query">,
): void {
  const scope = typeof endpoint.scope === "function" ? endpoint.scope(query) : endpoint.scope;
  if (scope === undefined || scopes.includes(scope)) return;
  const message = `This operation needs the scope ${scope}, which the integration of this key does not have.`;
  throw new ApiError("insufficient_scope", message, { details: { required: scope, granted: scopes } });
}

/** @throws ApiError `400 bad_request` if a required body is missing */
export function assertBody(endpoint: Endpoint, { body }: EndpointRequest): void {
  if (body === undefined && endpoint.body !== undefined && endpoint.body.type !== "optional")
    throw new ApiError("bad_request", "The body is empty. Send a JSON object.");
}

/** Returns the idempotency record ID and the fingerprint of a POST. Undefined without a valid Idempotency-Key. */
export function toIdempotentRequest(endpoint: Endpoint, request: EndpointRequest): IdempotentRequest | undefined {
  const { caller, params, query, idempotencyKey, body } = request;
  const key = endpoint.method === "POST" && idempotencyKey ? parseIdempotencyKey(idempotencyKey) : undefined;
  // A query with encoding errors identifies no request. It is rejected later.
  if (key === undefined || request.queryFindings?.length) return undefined;
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? "");
  const fingerprint = computeFingerprint({ method: endpoint.method, path, query, body });
  return { id: `${ownerOf(caller)}:${key}`, integrationId: caller.integrationId, fingerprint };
}

/** Returns the owner of an Idempotency-Key. It is the integration rather than the API key, so that keys can be rotated. */
function ownerOf({ integrationId, userId, keyId }: Caller): string {
  return integrationId ?? (userId === null && keyId !== null ? `key:${keyId}` : `user:${userId}`);
}

/** Returns the tenant IDs of a request with their paths. Every request may carry them in the query, the body and a header. */
function tenantIds(incoming: EndpointRequest): readonly [string, unknown][] {
  return [
    ["?tenantId", incoming.query.tenantId],
    ["/tenantId", incoming.body?.tenantId],
    ["x-tenant-id", incoming.tenantId ?? undefined],
  ];
}

/**
 * Validates the query and the body against the schemas of the endpoint.
 * @throws ApiError with all errors of query and body
 */
export function parseRequest(endpoint: Endpoint, incoming: EndpointRequest): EndpointCall {
  const { caller, params, rate, body } = incoming;
  // A body that means nothing may say whose it is; whatever else it says would be dropped in silence, and is refused.
  const schema = endpoint.body ?? emptyBody;
  const named = takesTenant(schema);
  const query = validate(strictObject(endpoint.query), withoutTenant(incoming.query), "?", ["tenantId"]);
  const ifMatchHeader = ifMatchHeaderOf(endpoint, incoming);
  const ifMatch = ifMatchHeader === undefined ? undefined : parseEntityTags(ifMatchHeader);
  const content = validate(schema, named ? body : withoutTenant(body), "", ["tenantId"]);
  const findings = [
    ...(named ? [] : nonStringTenantIds(tenantIds(incoming))),
    ...(incoming.queryFindings ?? []),
    ...findingsOf(query),
    ...findingsOf(content),
    ...keyFindings(endpoint, incoming),
    ...(ifMatchHeader !== undefined && ifMatch === undefined ? [malformedIfMatch] : []),
  ];
  if (findings.length > 0) throw validationError(findings);
  const parsed = { query: contentOf(query), body: contentOf(content) };
  return { caller, params, rate, ifMatch, ...parsed };
}

/**
 * The key decides; every tenant id sent must agree with it. The answer does not tell whether another one exists.
 * @throws ApiError `422 invalid_reference`
 */
export function assertTenant(endpoint: Endpoint, incoming: EndpointRequest): void {
  const { tenantId } = incoming.caller;
  const ids = tenantIds(incoming);
  const strange = ids.filter(([, id]) => typeof id === "string" && id.trim().toLowerCase() !== tenantId);
  if (strange.length === 0) return;
  const way = takesTenant(endpoint.body ?? emptyBody) ? "send" : "leave it out or send";
  const message =
    endpoint.access === "admin"
      ? `tenantId is not the tenant of this token; ${way} the token's own.`
      : `tenantId is not the tenant of this key; ${way} the key's own (GET /me shows it).`;
  const problems = strange.map(([path]): ValidationIssue => {
    return { kind: "invalid_reference", problem: { path, code: "not_found", message } };
  });
  throw validationError(problems);
}

function nonStringTenantIds(ids: readonly [string, unknown][]): ValidationIssue[] {
  const wrong = ids.filter(([, id]) => id !== undefined && typeof id !== "string");
  const message = "tenantId must be a string.";
  return wrong.map(([path]) => ({ kind: "shape", problem: { path, code: "invalid_type", message } }));
}

/** Whether the endpoint names tenantId itself, and so checks its shape. */
function takesTenant(body: v.GenericSchema): boolean {
  return "entries" in body && Object.hasOwn(body.entries as object, "tenantId");
}

function keyFindings({ method }: Endpoint, { idempotencyKey }: EndpointRequest): ValidationIssue[] {
  const wrong =
    method === "POST" && typeof idempotencyKey === "string" && parseIdempotencyKey(idempotencyKey) === undefined;
  const message = "Idempotency-Key must be a uuid, made anew for each thing to be done.";
  return wrong ? [{ kind: "shape", problem: { path: "Idempotency-Key", code: "invalid_format", message } }] : [];
}

/** Returns the header If-Match if the endpoint uses it. */
function ifMatchHeaderOf({ method, hasETag }: Endpoint, { ifMatch }: EndpointRequest): string | undefined {
  const isUsed = hasETag === true && (method === "PATCH" || method === "DELETE");
  return isUsed ? (ifMatch ?? undefined) : undefined;
}

const malformedIfMatch: ValidationIssue = {
  kind: "shape",
  problem: {
    path: "If-Match",
    code: "invalid_format",
    message: 'If-Match must be * or an ETag in double quotes, such as "2026-10-19T13:29:53.614Z".',
  },
};

function withoutTenant(values: Body | undefined): Body | undefined {
  if (values === undefined || !Object.hasOwn(values, "tenantId")) return values;
  const { tenantId: _, ...rest } = values;
  return rest;
}

function findingsOf(checked: ReturnType<typeof validate>): readonly ValidationIssue[] {
  return "findings" in checked ? checked.findings : [];
}

function contentOf(checked: ReturnType<typeof validate>): unknown {
  return "value" in checked ? checked.value : undefined;
}
