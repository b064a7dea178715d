import { RESPONSE_ALREADY_SENT as alreadySent } from "@hono/node-server/utils/response";
import { type Context, Hono } from "hono";
import type { Endpoint } from "../api/endpoint.ts";
import { assertScope } from "../api/endpoint-request.ts";
import { type EndpointResponse, type Runtime, runEndpoint } from "../api/run-endpoint.ts";
import { assertAdmin } from "../auth/admin.ts";
import type { RateLimiter } from "../auth/rate-limiter.ts";
import { ApiError } from "../model/errors.ts";
import type { ApiKeyWithScopes } from "../storage/storage.ts";
import { type AppOptions, corsAndCompression } from "./app-options.ts";
import { type AuthDependencies, authenticateRequest } from "./authenticate-request.ts";
import { assertDeclaredLength, parseBody, readBody } from "./body.ts";
import { docsRoutes } from "./docs/docs-routes.ts";
import { tenantDescription } from "./docs/tenant-description.ts";
import {
  commonHeaders,
  errorResponse,
  type HttpResponse,
  otherMethod,
  rateLimitError,
  rateLimitHeaders,
  resolveRequestId,
  toApiError,
  withContentLength,
} from "./http-response.ts";
import { OverloadedError, type PendingWork, rateLimitKey, type TenantQueue, type UnsentBytes } from "./load-limits.ts";
import { basePath, pathOf, relativeLocation, rootPath, stripGatewayPrefix, suggestPath } from "./paths.ts";
import { parseQueryString } from "./query-string.ts";
import { headerReader, type RequestEnv } from "./request-env.ts";
import { type RequestSummary, type RequestTrace, startTrace, toRequestSummary } from "./request-log.ts";

type Env = { Bindings: RequestEnv };
type Handler = (c: Context<Env>, trace: RequestTrace) => HttpResponse | Promise<HttpResponse>;

export { alreadySent };

/** The parts of an API that the app needs. */
export type HttpRuntime = Runtime &
  AuthDependencies & {
    readonly rateLimiter: RateLimiter;
    readonly requests: PendingWork;
    /** Limits the requests that run at the same time. A request doesn't count while its body arrives. */
    readonly concurrency: PendingWork;
    readonly longRequests: TenantQueue;
    readonly pages: TenantQueue;
    readonly unsent: UnsentBytes;
    /** Records that an API key was used. */
    readonly recordKeyUse: (key: ApiKeyWithScopes) => void;
    readonly onResponse: ((summary: RequestSummary) => void) | undefined;
    /** Monotonic time in milliseconds. */
    readonly now: () => number;
  };

/** A request that waits or uploads for longer is authenticated again, because the API key may have been revoked. */
const maxUnverifiedMs = 100;

/**
 * Returns a Hono app with these endpoints. `api.app()` calls it.
 */
export function crmApp(
  api: { readonly endpoints: readonly Endpoint[]; readonly runtime: HttpRuntime },
  options: AppOptions = {},
): Hono<Env> {
  const { runtime, endpoints } = api;
  const app = new Hono<Env>({ getPath: ({ url }) => stripGatewayPrefix(url) });
  // These change the Response. A transport bypasses it.
  const middlewares = corsAndCompression(options);
  for (const middleware of middlewares) app.use(middleware);

  const send = (response: HttpResponse, { env }: Context<Env>): Response => {
    const { transport } = env ?? {};
    if (transport === undefined || middlewares.length > 0)
      return new Response(response.body, options.compress ? withContentLength(response) : response);
    transport.send(response);
    return alreadySent;
  };
  const route = (handler: Handler) => (c: Context<Env>) => handleRequest(runtime, c, handler, send);
  const notFound = route(({ req }) => {
    throw new ApiError("not_found", `Unknown path.${suggestPath(stripGatewayPrefix(req.url), endpoints)}`);
  });

  const addEndpoints = (added: readonly Endpoint[]): void => {
    for (const endpoint of added)
      app.on(
        endpoint.method,
        [pathOf(endpoint), `${pathOf(endpoint)}/`],
        route((c, trace) => handleEndpoint(runtime, endpoint, c, trace)),
      );
  };
  const rejectOtherMethods = (): void => {
    for (const [path, methods] of methodsByPath(app))
      app.all(
        path,
        route(({ req }) => otherMethod(req.method, methods)),
      );
  };
  // Fixed paths first: Hono takes the first route that matches, and PATCH /accounts/batch isn't about a record.
  const [fixed = [], others = []] = [false, true].map((hasParameter) =>
    endpoints.filter(({ path }) => path.includes(":") === hasParameter),
  );
  addEndpoints(fixed);
  const description = tenantDescription();
  app.route(
    basePath,
    docsRoutes(route, options, (c, trace) => handleEndpoint(runtime, description, c, trace)),
  );
  rejectOtherMethods();
  addEndpoints(others);
  rejectOtherMethods();
  for (const path of [basePath, `${rootPath}/api-key`, `${rootPath}/admin`])
    app.all(path, notFound).all(`${path}/*`, notFound);
  // Errors of middlewares. `handleRequest` catches the errors of routes.
  app.onError((error, c) => route(() => Promise.reject(error))(c));
  return app.notFound(notFound);
}

/** Runs a handler and sends its response, or the response for the error that it throws. Never rejects. */
async function handleRequest(
  runtime: HttpRuntime,
  c: Context<Env>,
  handler: Handler,
  send: (response: HttpResponse, c: Context<Env>) => Response,
): Promise<Response> {
  const { method } = c.req;
  const requestId = resolveRequestId(headerReader(c.req.raw, c.env)("x-request-id"), runtime.context.newId);
  let response: HttpResponse;
  try {
    const trace = startTrace(requestId, runtime.now());
    try {
      response = await runtime.requests.run(async () => {
        try {
          return await handler(c, trace);
        } finally {
          // After the commit of the request, which would be stale if the API key changed before it.
          if (trace.apiKey !== undefined) runtime.recordKeyUse(trace.apiKey);
        }
      });
    } catch (error) {
      response = toErrorResponse(runtime, error, trace, method);
    }
    const limits = trace.rate && rateLimitHeaders(trace.rate, runtime.context.clock.now());
    response = { ...response, headers: { ...commonHeaders(requestId), ...limits, ...response.headers } };
    runtime.onResponse?.(toRequestSummary(trace, response.status, runtime.now()));
    if (trace.caller !== undefined) runtime.unsent.track(trace.caller, response.body, c.env?.outgoing);
  } catch (error) {
    // The host's clock failed.
    runtime.report(error, requestId);
    response = errorResponse(error, requestId, method);
  }
  return send(response, c);
}

function toErrorResponse(runtime: HttpRuntime, error: unknown, trace: RequestTrace, method: string): HttpResponse {
  const { status, code } = toApiError(error, trace.requestId);
  if (status >= 500 && !(error instanceof OverloadedError)) runtime.report(error, trace.requestId);
  trace.code = code;
  // Omit the rate limit headers if the API key was revoked during the upload.
  if (status === 401) trace.rate = undefined;
  return errorResponse(error, trace.requestId, method);
}

/** Checks and runs one request of an endpoint. The order of the checks is part of the API contract. */
async function handleEndpoint(
  runtime: HttpRuntime,
  endpoint: Endpoint,
  c: Context<Env>,
  trace: RequestTrace,
): Promise<HttpResponse> {
  const { req, env = {} } = c;
  const header = headerReader(req.raw, env);
  const { concurrency, storage } = runtime;
  const authenticate = () =>
    authenticateRequest(runtime, endpoint, {
      ...{ request: req.raw, env, header, requestId: trace.requestId },
      onApiKey: (key) => {
        trace.apiKey = key;
      },
    });
  trace.operation = endpoint.name;
  assertDeclaredLength(header("content-length"));
  const caller = await concurrency.run(authenticate);
  const verifiedAt = runtime.now();
  const verifyAgain = async (): Promise<void> => {
    if (runtime.now() - verifiedAt > maxUnverifiedMs) await authenticate();
  };
  trace.caller = caller;
  const rate = await runtime.rateLimiter.take(rateLimitKey(caller));
  trace.rate = rate;
  if (!rate.accepted) throw rateLimitError(rate, `Rate limit exceeded (${rate.limit} requests per minute).`);
  await runtime.unsent.waitForTurn(caller);
  runtime.unsent.assertCapacity(caller);
  if (endpoint.access === "admin") await assertAdmin(storage, caller);
  const query = parseQueryString(req.url);
  // Checked here as well as in `runEndpoint`: a caller without the scope learns nothing about its body.
  assertScope(endpoint, { caller, query: query.values });
  const bytes = await (env.transport?.readBody() ?? readBody(req.raw));
  await verifyAgain();
  const run = (): Promise<EndpointResponse> =>
    concurrency.run(() =>
      runEndpoint(runtime, endpoint, {
        caller,
        params: req.param() as Record<string, string>,
        query: query.values,
        queryIssues: query.issues,
        body: bytes.length === 0 ? undefined : parseBody(bytes, header),
        idempotencyKey: endpoint.method === "POST" ? header("idempotency-key") : undefined,
        ifMatch: endpoint.method === "GET" ? undefined : header("if-match"),
        prefer: endpoint.method === "GET" ? undefined : header("prefer"),
        ifNoneMatch: endpoint.method === "GET" ? header("if-none-match") : undefined,
        tenantId: header("x-tenant-id"),
        rate,
      }),
    );
  const queue = queueOf(runtime, endpoint);
  const result = await (queue === undefined
    ? run()
    : queue.run(caller.tenantId, async () => {
        await verifyAgain();
        runtime.unsent.assertCapacity(caller);
        return run();
      }));
  trace.replayed = result.replayed;
  // Other responses of the caller may have been built in the meantime. Only a GET can be rejected after it has run.
  if (endpoint.method === "GET") runtime.unsent.assertCapacity(caller);
  return successResponse(result, endpoint, req.url);
}

/** Returns the queue in which requests of an endpoint wait, because their responses can be large. */
function queueOf({ longRequests, pages }: HttpRuntime, { isLong, success }: Endpoint): TenantQueue | undefined {
  if (isLong) return longRequests;
  return success.collection === "page" ? pages : undefined;
}

function successResponse(result: EndpointResponse, endpoint: Endpoint, url: string): HttpResponse {
  const headers: Record<string, string> = {};
  for (const name in result.headers) headers[name.toLowerCase()] = result.headers[name] as string;
  if (result.body !== null) headers["content-type"] = "application/json";
  if (result.replayed) headers["idempotent-replayed"] = "true";
  if (result.location !== null) headers.location = relativeLocation(url, endpoint.path, result.location);
  return { status: result.status, headers, body: result.body };
}

function methodsByPath({ routes }: Hono<Env>): ReadonlyMap<string, ReadonlySet<string>> {
  const methods = new Map<string, Set<string>>();
  for (const { path, method } of routes) {
    if (method !== "ALL") methods.set(path, (methods.get(path) ?? new Set()).add(method));
  }
  return methods;
}
