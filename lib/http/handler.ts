import { type Reply, run } from "../api.ts";
import type { AdminVerifier } from "../auth/admin-token.ts";
import { assertAdministrator, authenticateUser } from "../auth/administrator.ts";
import { authenticate, type Credentials } from "../auth/authenticate.ts";
import type { Caller, Context, Endpoint } from "../endpoint.ts";
import type { Limiter, LimitState } from "../limits.ts";
import type { Credential, Storage } from "../storage.ts";
import {
  asApiError,
  commonHeaders,
  errorAnswer,
  type HttpAnswer,
  limitHeaders,
  rateLimited,
  requestIdOf,
} from "./answer.ts";
import { parseBody, readBody } from "./body.ts";
import { parseQueryString } from "./query-string.ts";
import { basePath, type Match, type PageMatch, type Router } from "./router.ts";

/** What the transport knows beside the Request. */
export type Transport = {
  /** The client's address, by which failed authentication is limited. */
  readonly remoteAddress?: string | undefined;
};

export type Parts = {
  readonly storage: Storage;
  readonly context: Context;
  readonly router: Router;
  readonly limiter: Limiter;
  readonly failureLimiter: Limiter;
  readonly verifyAdmin: AdminVerifier | undefined;
  /** Told of every error that is ours. */
  readonly report: (error: unknown, requestId: string) => void;
  readonly onAuthenticated: (credential: Credential) => void;
};

/** The order of checks over HTTP: route, body size, authentication, rate; then `run` takes over. */
export async function handle(parts: Parts, request: Request, transport: Transport): Promise<HttpAnswer> {
  const requestId = requestIdOf(request.headers.get("x-request-id"), parts.context.newId);
  let rate: LimitState | undefined;
  try {
    const url = new URL(request.url);
    const match = parts.router.match(request.method, url.pathname);
    if ("page" in match) return pageAnswer(match, requestId);
    const bytes = match.endpoint.body === undefined ? new Uint8Array() : await readBody(request);
    const caller = await authenticated(parts, match.endpoint, request.headers, transport);
    rate = await parts.limiter.take(caller.keyId ?? `${caller.tenantId}:${caller.userId}`);
    if (!rate.accepted) throw rateLimited(rate, "Too many requests with this key");
    const { tenantId, userId } = caller;
    if (userId !== null) await assertAdministrator(parts.storage, { tenantId, userId });
    const query = parseQueryString(url.search);
    const reply = await run(parts.storage, parts.context, match.endpoint, {
      caller,
      params: match.params,
      query: query.values,
      queryFindings: query.findings,
      body: () => parseBody(bytes, request.headers),
      idempotencyKey: request.headers.get("idempotency-key"),
      tenantId: request.headers.get("x-tenant-id"),
      rate,
    });
    return success(reply, match, requestId, limitHeaders(rate, parts.context.clock.now()));
  } catch (error) {
    if (asApiError(error, requestId).status >= 500) parts.report(error, requestId);
    const answer = errorAnswer(error, requestId);
    if (rate === undefined) return answer;
    return { ...answer, headers: { ...answer.headers, ...limitHeaders(rate, parts.context.clock.now()) } };
  }
}

/** Who fails to authenticate is limited by address; who succeeds is never held up by others at that address. */
async function authenticated(
  parts: Parts,
  endpoint: Endpoint,
  headers: Headers,
  transport: Transport,
): Promise<Caller> {
  try {
    return endpoint.access === "admin" ? await adminCaller(parts, headers) : await keyCaller(parts, headers);
  } catch (error) {
    if (asApiError(error, "").status !== 401) throw error;
    const failures = await parts.failureLimiter.take(transport.remoteAddress ?? "unknown");
    throw failures.accepted ? error : rateLimited(failures, "Too many failed authentications from this address");
  }
}

async function keyCaller({ storage, context, onAuthenticated }: Parts, headers: Headers): Promise<Caller> {
  const key = await authenticate(storage, credentialsOf(headers), context.clock.now());
  onAuthenticated(key);
  const { tenantId, integrationId, id, scopes } = key;
  return { tenantId, integrationId, keyId: id, userId: null, scopes };
}

/** Whether the user is an administrator is asked after the rate, as an integration's scopes are. */
async function adminCaller({ context, verifyAdmin }: Parts, headers: Headers): Promise<Caller> {
  const claims = await authenticateUser(verifyAdmin, credentialsOf(headers), context.clock.now());
  return { ...claims, integrationId: null, keyId: null, scopes: [] };
}

function credentialsOf(headers: Headers): Credentials {
  return { apiKey: headers.get("x-api-key"), authorization: headers.get("authorization") };
}

function pageAnswer({ page, prefix, params }: PageMatch, requestId: string): HttpAnswer {
  const { headers, ...answer } = page.answer(prefix, params);
  return { ...answer, headers: { ...commonHeaders(requestId), ...headers } };
}

function success(reply: Reply, match: Match, requestId: string, limits: Record<string, string>): HttpAnswer {
  const headers: Record<string, string> = { ...commonHeaders(requestId), ...limits, ...reply.headers };
  if (reply.body !== null) headers["Content-Type"] = "application/json";
  if (reply.location !== null) headers.Location = localPath(`${match.prefix}${basePath}${reply.location}`);
  if (reply.replayed) headers["Idempotent-Replayed"] = "true";
  return { status: reply.status, headers, body: reply.body };
}

/** Two slashes at the front would make a host of what follows. */
function localPath(path: string): string {
  return path.replace(/^[/\\]+/, "/");
}
