import { RESPONSE_ALREADY_SENT as alreadySent } from "@hono/node-server/utils/response";
import { type Context, Hono } from "hono";
import type { Caller, Endpoint } from "../api/endpoint.ts";
import { assertScope } from "../api/endpoint-request.ts";
import { type EndpointResponse, type Runtime, runEndpoint } from "../api/run-endpoint.ts";
import { assertAdmin } from "../auth/admin.ts";
import type { RateLimiter } from "../auth/rate-limiter.ts";
import { ApiError } from "../model/errors.ts";
import { type AppOptions, corsAndCompression } from "./app-options.ts";
import { type AuthDependencies, authenticateRequest } from "./authenticate-request.ts";
import { assertDeclaredLength, parseBody, readBody } from "./body.ts";
import { docsRoutes } from "./docs/docs-routes.ts";
import { tenantDescription } from "./docs/tenant-description.ts";
import {
  commonHeaders,
  errorResponse,
  type HttpResponse,
  methodNotAllowedError,
  rateLimitError,
  rateLimitHeaders,
  resolveRequestId,
  toApiError,
} from "./http-response.ts";
import { OverloadedError, type PendingWork, rateLimitKey, type UnsentBytes } from "./load-limits.ts";
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
    readonly unsent: UnsentBytes;
    readonly onResponse: ((summary: RequestSummary) => void) | undefined;
    /** Monotonic time in milliseconds. */
    readonly now: () => number;
  };

/** An upload that takes longer than this is authenticated again, because the API key may have been revoked. */
const maxUnverifiedMs = 100;

/**
 * Returns the API as a Hono app. Serve its `fetch`, or mount it with `app.route("/crm", crmApp(api))`.
 * If it isn't mounted, it accepts any path before `/integrations`, such as the prefix of a gateway.
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
  app.route(
    basePath,
    docsRoutes(route, options, (c, trace) => handleEndpoint(runtime, tenantDescription, c, trace)),
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
      runtime.requests.enter();
      try {
        response = await handler(c, trace);
      } finally {
        runtime.requests.leave();
      }
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
    authenticateRequest(runtime, endpoint, { request: req.raw, env, header, requestId: trace.requestId });
  trace.operation = endpoint.name;
  assertDeclaredLength(header("content-length"));
  let caller: Caller;
  concurrency.enter();
  try {
    caller = await authenticate();
  } finally {
    concurrency.leave();
  }
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
  const uploadedSince = runtime.now();
  const bytes = await (env.transport?.readBody() ?? readBody(req.raw));
  if (runtime.now() - uploadedSince > maxUnverifiedMs) await authenticate();
  let result: EndpointResponse;
  concurrency.enter();
  try {
    result = await runEndpoint(runtime, endpoint, {
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
    });
  } finally {
    concurrency.leave();
  }
  trace.replayed = result.replayed;
  // Other responses of the caller may have been built in the meantime. Only a GET can be rejected after it has run.
  if (endpoint.method === "GET") runtime.unsent.assertCapacity(caller);
  return successResponse(result, endpoint, req.url);
}

function successResponse(result: EndpointResponse, endpoint: Endpoint, url: string): HttpResponse {
  const headers: Record<string, string> = {};
  for (const name in result.headers) headers[name.toLowerCase()] = result.headers[name] as string;
  if (result.body !== null) headers["content-type"] = "application/json";
  if (result.replayed) headers["idempotent-replayed"] = "true";
  if (result.location !== null) headers.location = relativeLocation(url, endpoint.path, result.location);
  return { status: result.status, headers, body: result.body };
}

function otherMethod(method: string, methods: ReadonlySet<string>): HttpResponse {
  const allowed = [...methods, ...(methods.has("GET") ? ["HEAD"] : []), "OPTIONS"];
  if (method === "OPTIONS") return { status: 204, headers: { allow: allowed.join(", ") }, body: null };
  throw methodNotAllowedError(method, allowed);
}

function methodsByPath({ routes }: Hono<Env>): ReadonlyMap<string, ReadonlySet<string>> {
  const methods = new Map<string, Set<string>>();
  for (const { path, method } of routes) {
    if (method !== "ALL") methods.set(path, (methods.get(path) ?? new Set()).add(method));
  }
  return methods;
}

/** Adds the length of the body, without which `compress` compresses short bodies too. */
function withContentLength(response: HttpResponse): HttpResponse {
  const { headers, body } = response;
  if (body === null) return response;
  return { ...response, headers: { ...headers, "content-length": String(Buffer.byteLength(body)) } };
}
