import { parseEntityTags } from "./conditional-requests.js";
import { ApiError, problemsError } from "./errors.js";
import { computeFingerprint, parseIdempotencyKey } from "./idempotency.js";
import { check, strict } from "./input/check.js";
import { emptyBody } from "./records/schemas.js";
/** @throws ApiError `403 insufficient_scope`, with `details.required` */
export function assertScope(endpoint, { caller: { scopes }, query }) {
    const scope = typeof endpoint.scope === "function" ? endpoint.scope(query) : endpoint.scope;
    if (scope === undefined || scopes.includes(scope))
        return;
    const message = `This operation needs the scope ${scope}, which the integration of this key does not have.`;
    throw new ApiError("insufficient_scope", message, { details: { required: scope, granted: scopes } });
}
/** @throws ApiError `400 bad_request` if a required body is missing */
export function assertBody(endpoint, { body }) {
    if (body === undefined && endpoint.body !== undefined && endpoint.body.type !== "optional")
        throw new ApiError("bad_request", "The body is empty. Send a JSON object.");
}
/** Returns the idempotency record ID and the fingerprint of a POST. Undefined without a valid Idempotency-Key. */
export function toIdempotentRequest(endpoint, request) {
    const { caller, params, query, idempotencyKey, body } = request;
    const key = endpoint.method === "POST" && idempotencyKey ? parseIdempotencyKey(idempotencyKey) : undefined;
    // A query with encoding errors identifies no request. It is rejected later.
    if (key === undefined || request.queryFindings?.length)
        return undefined;
    const path = endpoint.path.replace(/:(\w+)/g, (_, name) => params[name] ?? "");
    const fingerprint = computeFingerprint({ method: endpoint.method, path, query, body });
    return { id: `${ownerOf(caller)}:${key}`, integrationId: caller.integrationId, fingerprint };
}
/** Returns the owner of an Idempotency-Key. It is the integration rather than the API key, so that keys can be rotated. */
function ownerOf({ integrationId, userId, keyId }) {
    return integrationId ?? (userId === null && keyId !== null ? `key:${keyId}` : `user:${userId}`);
}
/** Returns the tenant IDs of a request with their paths. Every request may carry them in the query, the body and a header. */
function tenantIds(incoming) {
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
export function parseRequest(endpoint, incoming) {
    const { caller, params, rate, body } = incoming;
    // A body that means nothing may say whose it is; whatever else it says would be dropped in silence, and is refused.
    const schema = endpoint.body ?? emptyBody;
    const named = takesTenant(schema);
    const query = check(strict(endpoint.query), withoutTenant(incoming.query), "?", ["tenantId"]);
    const ifMatchHeader = ifMatchHeaderOf(endpoint, incoming);
    const ifMatch = ifMatchHeader === undefined ? undefined : parseEntityTags(ifMatchHeader);
    const content = check(schema, named ? body : withoutTenant(body), "", ["tenantId"]);
    const findings = [
        ...(named ? [] : misplaced(tenantIds(incoming))),
        ...(incoming.queryFindings ?? []),
        ...findingsOf(query),
        ...findingsOf(content),
        ...keyFindings(endpoint, incoming),
        ...(ifMatchHeader !== undefined && ifMatch === undefined ? [malformedIfMatch] : []),
    ];
    if (findings.length > 0)
        throw problemsError(findings);
    const parsed = { query: contentOf(query), body: contentOf(content) };
    return { caller, params, rate, ifMatch, ...parsed };
}
/**
 * The key decides; every tenant id sent must agree with it. The answer does not tell whether another one exists.
 * @throws ApiError `422 invalid_reference`
 */
export function assertTenant(endpoint, incoming) {
    const { tenantId } = incoming.caller;
    const ids = tenantIds(incoming);
    const strange = ids.filter(([, id]) => typeof id === "string" && id.trim().toLowerCase() !== tenantId);
    if (strange.length === 0)
        return;
    const way = takesTenant(endpoint.body ?? emptyBody) ? "send" : "leave it out or send";
    const message = endpoint.access === "admin"
        ? `tenantId is not the tenant of this token; ${way} the token's own.`
        : `tenantId is not the tenant of this key; ${way} the key's own (GET /me shows it).`;
    const problems = strange.map(([path]) => {
        return { kind: "invalid_reference", problem: { path, code: "not_found", message } };
    });
    throw problemsError(problems);
}
function misplaced(ids) {
    const wrong = ids.filter(([, id]) => id !== undefined && typeof id !== "string");
    const message = "tenantId must be a string.";
    return wrong.map(([path]) => ({ kind: "shape", problem: { path, code: "invalid_type", message } }));
}
/** Whether the endpoint names tenantId itself, and so checks its shape. */
function takesTenant(body) {
    return "entries" in body && Object.hasOwn(body.entries, "tenantId");
}
function keyFindings({ method }, { idempotencyKey }) {
    const wrong = method === "POST" && typeof idempotencyKey === "string" && parseIdempotencyKey(idempotencyKey) === undefined;
    const message = "Idempotency-Key must be a uuid, made anew for each thing to be done.";
    return wrong ? [{ kind: "shape", problem: { path: "Idempotency-Key", code: "invalid_format", message } }] : [];
}
/** Returns the header If-Match if the endpoint uses it. */
function ifMatchHeaderOf({ method, hasETag }, { ifMatch }) {
    const isUsed = hasETag === true && (method === "PATCH" || method === "DELETE");
    return isUsed ? (ifMatch ?? undefined) : undefined;
}
const malformedIfMatch = {
    kind: "shape",
    problem: {
        path: "If-Match",
        code: "invalid_format",
        message: 'If-Match must be * or an ETag in double quotes, such as "2026-10-19T13:29:53.614Z".',
    },
};
function withoutTenant(values) {
    if (values === undefined || !Object.hasOwn(values, "tenantId"))
        return values;
    const { tenantId: _, ...rest } = values;
    return rest;
}
function findingsOf(checked) {
    return "findings" in checked ? checked.findings : [];
}
function contentOf(checked) {
    return "value" in checked ? checked.value : undefined;
}
