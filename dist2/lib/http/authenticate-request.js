import { assertAdministrator, authenticateUser } from "../auth/administrator.js";
import { authenticate } from "../auth/authenticate.js";
import { ApiError } from "../errors.js";
import { StorageUnavailable } from "../storage.js";
import { clientNetwork } from "./client-network.js";
import { rateLimitError, toApiError } from "./http-response.js";
/**
 * Returns the caller of an endpoint. Failures are limited per client address; a valid credential is never limited by
 * the failures of others.
 * @throws ApiError `401 unauthorized`, `403 insufficient_scope` for a user who isn't an admin, `429 rate_limited`
 */
export async function authenticateRequest(dependencies, endpoint, request, env, requestId) {
    try {
        if (endpoint.access === "admin")
            return await authenticateAdmin(dependencies, request);
        return await authenticateIntegration(dependencies, request, env, requestId);
    }
    catch (error) {
        if (toApiError(error, requestId).status !== 401)
            throw error;
        const address = env.remoteAddress ?? env.incoming?.socket?.remoteAddress ?? "unknown";
        const failures = await dependencies.authFailureLimiter.take(clientNetwork(address));
        const message = `Too many failed authentication attempts from this address (${failures.limit} per minute).`;
        throw failures.accepted ? error : rateLimitError(failures, message);
    }
}
async function authenticateIntegration(dependencies, request, env, requestId) {
    const { storage, context, recordKeyUse } = dependencies;
    if (dependencies.authenticate !== undefined) {
        const report = (error) => dependencies.report(error, requestId);
        return assertTenantExists(storage, await callHost(dependencies.authenticate, request, env, report));
    }
    const key = await authenticate(storage, credentialsOf(request), context.clock.now());
    recordKeyUse(key);
    const { tenantId, integrationId, id, scopes } = key;
    return { tenantId, integrationId, keyId: id, userId: null, scopes };
}
/** Verifies the token only. `assertAdmin` checks the user after the rate limit. */
async function authenticateAdmin({ context, verifyAdmin }, request) {
    const claims = await authenticateUser(verifyAdmin, credentialsOf(request), context.clock.now());
    return { ...claims, integrationId: null, keyId: null, scopes: [] };
}
export { assertAdministrator as assertAdmin };
function credentialsOf({ headers }) {
    return { apiKey: headers.get("x-api-key"), authorization: headers.get("authorization") };
}
async function callHost(authenticateInHost, { url, method, headers }, env, report) {
    let caller;
    try {
        // A request of its own: a host that copies or clones the original would consume its body.
        caller = await authenticateInHost(new Request(url, { method, headers: new Headers([...headers]) }), env);
    }
    catch (error) {
        if (error instanceof ApiError || error instanceof StorageUnavailable)
            throw error;
        report(error);
    }
    // Includes false and "", the values of `session && …` without a session.
    if (!caller)
        throw unauthorized("Authentication required.");
    assertCaller(caller);
    return toCaller(caller);
}
export function toCaller(caller) {
    const { tenantId, scopes, integrationId = null, keyId = null, userId = null } = caller;
    return { tenantId: tenantId.toLowerCase(), scopes, integrationId, keyId, userId };
}
/** Checks at run time what the type states, for hosts that aren't written in TypeScript. */
function assertCaller({ tenantId, scopes }) {
    if (typeof tenantId === "string" && Array.isArray(scopes))
        return;
    throw new TypeError("authenticate must return { tenantId, scopes } (a string and an array of strings), or nothing.");
}
/**
 * Checks that the tenant and the integration exist. The host vouches for everything else.
 * @throws ApiError `401 unauthorized` if the tenant is unknown
 * @throws TypeError if the integration is unknown
 */
export async function assertTenantExists(storage, caller) {
    const { tenantId, integrationId } = caller;
    const tenant = await storage.get(tenantId, "tenant", tenantId);
    if (tenant === undefined || tenant.archivedAt !== null)
        throw unauthorized("Unknown tenant.");
    if (integrationId !== null && (await storage.get(tenantId, "integration", integrationId)) === undefined)
        throw new TypeError(`authenticate returned integration ${integrationId}, which tenant ${tenantId} doesn't have.`);
    return caller;
}
function unauthorized(message) {
    return new ApiError("unauthorized", message, { headers: { "WWW-Authenticate": 'Bearer realm="crm-integrations"' } });
}
