import type * as v from "valibot";
import type { Call, Caller, Endpoint } from "./endpoint.ts";
import { ApiError, type Finding, problemsError } from "./errors.ts";
import { idempotencyKeyOf } from "./idempotency.ts";
import { check, strict } from "./input/check.ts";
import type { LimitState } from "./limits.ts";
import { emptyBody } from "./records/schemas.ts";

type Body = Readonly<Record<string, unknown>>;

/** A request as it comes in, whatever brought it. */
export type Incoming = {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** What was wrong with how the query was written. */
  readonly queryFindings?: readonly Finding[];
  /** Asked once the caller is known to be allowed; undefined where there is none. @throws ApiError if unreadable */
  readonly body: () => Body | undefined;
  /** The SHA-256 of the body as it was sent, with all that says how it is to be read; absent where it was not sent. */
  readonly bodyHash?: () => string;
  readonly idempotencyKey?: string | null;
  /** The header x-tenant-id. */
  readonly tenantId?: string | null;
  readonly rate?: LimitState;
};

/** @throws ApiError `403 insufficient_scope`, with `details.required` */
export function assertScope(endpoint: Endpoint, { caller: { scopes }, query }: Incoming): void {
  const scope = typeof endpoint.scope === "function" ? endpoint.scope(query) : endpoint.scope;
  if (scope === undefined || scopes.includes(scope)) return;
  const message = `This operation needs the scope ${scope}, which the integration of this key does not have.`;
  throw new ApiError("insufficient_scope", message, { details: { required: scope, granted: scopes } });
}

/** The body as JSON gave it. @throws ApiError `400 bad_request` where one is needed and none was sent */
export function bodyOf(endpoint: Endpoint, incoming: Incoming): Body | undefined {
  const body = incoming.body();
  if (body === undefined && endpoint.body !== undefined && endpoint.body.type !== "optional") {
    throw new ApiError("bad_request", "The body is empty. Send a JSON object.");
  }
  return body;
}

/** The tenant ids that a request carries, each with its place: any request may, in query, body or header. */
function tenantIds(incoming: Incoming, body: Body | undefined): readonly [string, unknown][] {
  return [
    ["?tenantId", incoming.query.tenantId],
    ["/tenantId", body?.tenantId],
    ["x-tenant-id", incoming.tenantId ?? undefined],
  ];
}

/**
 * The parts of a request in the shape of the endpoint's schemas.
 * @throws ApiError with every problem of query and body at once
 */
export function parse(endpoint: Endpoint, incoming: Incoming, body: Body | undefined): Call {
  const { caller, params, rate } = incoming;
  // A body that means nothing may say whose it is; whatever else it says would be dropped in silence, and is refused.
  const schema = endpoint.body ?? emptyBody;
  const named = takesTenant(schema);
  const query = check(strict(endpoint.query), withoutTenant(incoming.query), "?", ["tenantId"]);
  const content = check(schema, named ? body : withoutTenant(body), "", ["tenantId"]);
  const findings = [
    ...(named ? [] : misplaced(tenantIds(incoming, body))),
    ...(incoming.queryFindings ?? []),
    ...findingsOf(query),
    ...findingsOf(content),
    ...keyFindings(endpoint, incoming),
  ];
  if (findings.length > 0) throw problemsError(findings);
  const parsed = { query: contentOf(query), body: contentOf(content) };
  return { caller, params, rate, ...parsed };
}

/**
 * The key decides; every tenant id sent must agree with it. The answer does not tell whether another one exists.
 * @throws ApiError `422 invalid_reference`
 */
export function assertTenant(endpoint: Endpoint, incoming: Incoming, body: Body | undefined): void {
  const { tenantId } = incoming.caller;
  const ids = tenantIds(incoming, body);
  const strange = ids.filter(([, id]) => typeof id === "string" && id.trim().toLowerCase() !== tenantId);
  if (strange.length === 0) return;
  const way = takesTenant(endpoint.body ?? emptyBody) ? "send" : "leave it out or send";
  const message =
    endpoint.access === "admin"
      ? `tenantId is not the tenant of this token; ${way} the token's own.`
      : `tenantId is not the tenant of this key; ${way} the key's own (GET /me shows it).`;
  const problems = strange.map(([path]): Finding => {
    return { kind: "invalid_reference", problem: { path, code: "not_found", message } };
  });
  throw problemsError(problems);
}

function misplaced(ids: readonly [string, unknown][]): Finding[] {
  const wrong = ids.filter(([, id]) => id !== undefined && typeof id !== "string");
  const message = "tenantId must be a string.";
  return wrong.map(([path]) => ({ kind: "shape", problem: { path, code: "invalid_type", message } }));
}

/** Whether the endpoint names tenantId itself, and so checks its shape. */
function takesTenant(body: v.GenericSchema): boolean {
  return "entries" in body && Object.hasOwn(body.entries as object, "tenantId");
}

function keyFindings({ method }: Endpoint, { idempotencyKey }: Incoming): Finding[] {
  const wrong =
    method === "POST" && typeof idempotencyKey === "string" && idempotencyKeyOf(idempotencyKey) === undefined;
  const message = "Idempotency-Key must be a uuid, made anew for each thing to be done.";
  return wrong ? [{ kind: "shape", problem: { path: "Idempotency-Key", code: "invalid_format", message } }] : [];
}

function withoutTenant(values: Body | undefined): Body | undefined {
  if (values === undefined || !Object.hasOwn(values, "tenantId")) return values;
  const { tenantId: _, ...rest } = values;
  return rest;
}

function findingsOf(checked: ReturnType<typeof check>): readonly Finding[] {
  return "findings" in checked ? checked.findings : [];
}

function contentOf(checked: ReturnType<typeof check>): unknown {
  return "value" in checked ? checked.value : undefined;
}
