import { isIPv6 } from "node:net";
import type { Caller, Endpoint, SharedContext } from "../api/endpoint.ts";
import { verifyAdminRequest } from "../auth/admin.ts";
import type { AdminVerifier } from "../auth/admin-token.ts";
import { authenticateApiKey, type Credentials } from "../auth/authenticate-key.ts";
import type { RateLimiter } from "../auth/rate-limiter.ts";
import { ApiError } from "../model/errors.ts";
import type { CachedStorage } from "../storage/cached-settings.ts";
import { type ApiKeyWithScopes, StorageUnavailable } from "../storage/storage.ts";
import { clientAddress, type HeaderReader, type RequestEnv, rateLimitError } from "./http-exchange.ts";

/** A caller that the host has authenticated. Omitted members are null. */
export type HostCaller = Pick<Caller, "tenantId" | "scopes"> & Partial<Caller>;

/**
 * Authenticates callers of the integration endpoints in place of API keys. The request has no body. Returning nothing
 * means 401. A thrown `ApiError` is sent unchanged. Any other error is logged and means 401.
 */
export type Authenticate = (
  request: Request,
  env: RequestEnv,
) => HostCaller | null | undefined | Promise<HostCaller | null | undefined>;

export type AuthDependencies = {
  readonly storage: CachedStorage;
  readonly context: SharedContext;
  readonly authenticate: Authenticate | undefined;
  readonly verifyAdmin: AdminVerifier | undefined;
  readonly authFailureLimiter: RateLimiter;
  /** Logs an error that the caller doesn't see. */
  readonly report: (error: unknown, requestId: string) => void;
};

/** A request whose caller is to be authenticated. */
export type ReceivedRequest = {
  readonly request: Request;
  readonly env: RequestEnv;
  readonly header: HeaderReader;
  readonly requestId: string;
  /** Called with the expected caller before it is known to be valid, unless nothing is known about its API key. */
  readonly onExpected?: (caller: Caller) => void;
  /** Called with the API key of the request if it is revoked or expired. */
  readonly onRejectedKey: (key: ApiKeyWithScopes) => void;
};

/** A caller with the settings version that was read first, if the database was read, and with its API key. */
export type Authenticated = {
  readonly caller: Caller;
  readonly settingsVersion?: number | undefined;
  readonly apiKey?: ApiKeyWithScopes;
};

/**
 * Authenticates the caller of an endpoint. Failures are limited per client address; a valid credential is never limited by
 * the failures of others.
 * @throws ApiError `401 unauthorized`, `403 insufficient_scope` for a user who isn't an admin, `429 rate_limited`
 */
export async function authenticateRequest(
  dependencies: AuthDependencies,
  endpoint: Endpoint,
  received: ReceivedRequest,
): Promise<Authenticated> {
  try {
    if (endpoint.access === "admin") return { caller: await authenticateAdmin(dependencies, received) };
    return await authenticateIntegration(dependencies, received);
  } catch (error) {
    return countAuthFailure(dependencies, received.env, error);
  }
}

/**
 * Throws the error of an authentication again. If it is a 401, counts it for the client address.
 * @throws ApiError `429 rate_limited` after too many failures
 */
export async function countAuthFailure(
  { authFailureLimiter }: Pick<AuthDependencies, "authFailureLimiter">,
  env: RequestEnv,
  error: unknown,
): Promise<never> {
  if (!(error instanceof ApiError) || error.status !== 401) throw error;
  const failures = await authFailureLimiter.take(clientNetwork(clientAddress(env) ?? "unknown"));
  const message = `Too many failed authentication attempts from this address (${failures.limit} per minute).`;
  throw failures.accepted ? error : rateLimitError(failures, message);
}

/**
 * Returns the network by which authentication failures are counted: an IPv4 address, or the /64 of an IPv6 address,
 * because one client can use every address of a /64.
 */
export function clientNetwork(address: string): string {
  const [plain = ""] = address.split("%");
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(plain)) return address;
  const [left = [], right = []] = plain.split("::").map((side) => side.split(":").filter((group) => group !== ""));
  // A trailing IPv4 address counts as two groups.
  const written = left.length + right.length + (plain.includes(".") ? 1 : 0);
  const groups = [...left, ...Array.from({ length: 8 - written }, () => "0"), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}

async function authenticateIntegration(
  dependencies: AuthDependencies,
  { request, env, header, requestId, onExpected, onRejectedKey }: ReceivedRequest,
): Promise<Authenticated> {
  const { storage, context } = dependencies;
  if (dependencies.authenticate !== undefined) {
    const report = (error: unknown): void => dependencies.report(error, requestId);
    const caller = await callHost(dependencies.authenticate, request, env, report);
    onExpected?.(caller);
    return assertTenantExists(storage, caller);
  }
  const apiKey = await authenticateApiKey(storage, credentialsOf(header), context.clock.now(), {
    onCached: (cached) => onExpected?.(callerOf(cached)),
    onRejected: onRejectedKey,
  });
  return { caller: callerOf(apiKey), settingsVersion: apiKey.settingsVersion, apiKey };
}

function callerOf({ tenantId, integrationId, id, scopes }: ApiKeyWithScopes): Caller {
  return { tenantId, integrationId, keyId: id, userId: null, scopes };
}

/** Verifies the token only. `assertAdmin` checks the user after the rate limit. */
async function authenticateAdmin(
  { context, verifyAdmin }: AuthDependencies,
  { header }: ReceivedRequest,
): Promise<Caller> {
  const claims = await verifyAdminRequest(verifyAdmin, credentialsOf(header), context.clock.now());
  return { ...claims, integrationId: null, keyId: null, scopes: [] };
}

function credentialsOf(header: HeaderReader): Credentials {
  return { apiKey: header("x-api-key"), authorization: header("authorization") };
}

async function callHost(
  authenticateInHost: Authenticate,
  { url, method, headers }: Request,
  env: RequestEnv,
  report: (error: unknown) => void,
): Promise<Caller> {
  let caller: HostCaller | null | undefined;
  try {
    // Pass a copy without a body. A host that clones the original would consume its body.
    caller = await authenticateInHost(new Request(url, { method, headers: new Headers([...headers]) }), env);
  } catch (error) {
    if (error instanceof ApiError || error instanceof StorageUnavailable) throw error;
    report(error);
  }
  // Includes false and "", the values of `session && …` without a session.
  if (!caller) throw unauthorizedError("Authentication required.");
  assertCaller(caller);
  return toCaller(caller);
}

export function toCaller(caller: HostCaller): Caller {
  const { tenantId, scopes, integrationId = null, keyId = null, userId = null } = caller;
  return { tenantId: tenantId.toLowerCase(), scopes, integrationId, keyId, userId };
}

/** Checks at run time what the type states, for hosts that aren't written in TypeScript. */
function assertCaller({ tenantId, scopes }: HostCaller): void {
  if (typeof tenantId === "string" && Array.isArray(scopes)) return;
  throw new TypeError("authenticate must return { tenantId, scopes } (a string and an array of strings), or nothing.");
}

/**
 * Checks that the tenant and the integration exist. The host vouches for everything else.
 * @throws ApiError `401 unauthorized` if the tenant is unknown
 * @throws TypeError if the integration is unknown
 */
export async function assertTenantExists(storage: CachedStorage, caller: Caller): Promise<Authenticated> {
  const { tenantId, integrationId } = caller;
  const settings = storage.openAttempt();
  const tenant = await settings.get(tenantId, "tenant", tenantId);
  if (tenant === undefined || tenant.archivedAt !== null) throw unauthorizedError("Unknown tenant.");
  if (integrationId !== null && (await settings.get(tenantId, "integration", integrationId)) === undefined)
    throw new TypeError(`authenticate returned integration ${integrationId}, which tenant ${tenantId} doesn't have.`);
  return { caller, settingsVersion: await settings.settingsVersion(tenantId) };
}

function unauthorizedError(message: string): ApiError {
  return new ApiError("unauthorized", message, { headers: { "WWW-Authenticate": 'Bearer realm="crm-integrations"' } });
}
