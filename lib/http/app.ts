import { RESPONSE_ALREADY_SENT as alreadySent } from "@hono/node-server/utils/response";
import { type Context, Hono } from "hono";
import type { Caller, Endpoint } from "../api/endpoint.ts";
import { assertScope } from "../api/endpoint-request.ts";
import { type EndpointResponse, type Runtime, runEndpoint } from "../api/run-endpoint.ts";
import type { RateLimiter, RateLimitResult } from "../auth/rate-limiter.ts";
import { ApiError } from "../model/errors.ts";
import { type AppOptions, responseMiddlewares } from "./app-options.ts";
import { type AuthDependencies, assertAdmin, authenticateRequest } from "./authenticate-request.ts";
import { assertDeclaredLength, type HeaderReader, parseBody, readBody } from "./body.ts";
import { docsRoutes } from "./docs/docs-routes.ts";
import {
  commonHeaders,
  errorResponse,
  type HttpResponse,
  rateLimitError,
  rateLimitHeaders,
  resolveRequestId,
  toApiError,
} from "./http-response.ts";
import { apiPath, basePath, pathOf, relativeTo, rootPath } from "./paths.ts";
import { type ConcurrencyLimit, Overloaded, type PendingWork } from "./pending-work.ts";
import { parseQueryString } from "./query-string.ts";
import type { RequestEnv } from "./request-env.ts";
import { type RequestSummary, type RequestTrace, startTrace, summarize } from "./request-log.ts";
import { rateLimitKey, type UnsentBytes } from "./unsent-bytes.ts";

type Env = { Bindings: RequestEnv };
type Handler = (c: Context<Env>, exchange: Exchange) => HttpResponse | Promise<HttpResponse>;

export { alreadySent };

/** What the app needs of an API. */
export type HttpRuntime = Runtime &
  AuthDependencies & {
    readonly rateLimiter: RateLimiter;
    readonly requests: PendingWork;
    readonly concurrency: ConcurrencyLimit;
    readonly unsent: UnsentBytes;
    readonly onResponse: ((summary: RequestSummary) => void) | undefined;
    /** Monotonic time in milliseconds. */
    readonly now: () => number;
  };

/** What is known about a request and its response so far. */
type Exchange = { readonly trace: RequestTrace; rate: RateLimitResult | undefined };

/** An upload that takes longer than this is authenticated again, because the API key may have been revoked. */
const maxUnverifiedMs = 100;

/**
 * Returns the API as a Hono app. Serve its `fetch`, or mount it with `app.route("/crm", crmApp(api))`.
 * Served on its own, it accepts any path before `/integrations`, such as the prefix of a gateway.
 */
export function crmApp(
  api: { readonly endpoints: readonly Endpoint[]; readonly runtime: HttpRuntime },
  options: AppOptions = {},
): Hono<Env> {
  const { runtime, endpoints } = api;
  const app = new Hono<Env>({ getPath: ({ url }) => apiPath(url) });
  // They change the Response, which a transport would bypass.
  const middlewares = responseMiddlewares(options);
  for (const middleware of middlewares) app.use(middleware);

  const route =
    (handler: Handler) =>
    async (c: Context<Env>): Promise<Response> => {
      const { req, env = {} } = c;
      const requestId = resolveRequestId(headerReader(c)("x-request-id"), runtime.context.newId);
      let response: HttpResponse;
      let caller: Caller | undefined;
      try {
        const exchange: Exchange = { trace: startTrace(requestId, runtime.now()), rate: undefined };
        response = await respond(runtime, c, handler, exchange);
        runtime.onResponse?.(summarize(exchange.trace, response.status, runtime.now()));
        caller = exchange.trace.caller;
      } catch (error) {
        // A clock or a rate limiter of the host failed.
        report(runtime, error, requestId);
        response = errorResponse(error, requestId, req.method);
      }
      if (caller !== undefined) runtime.unsent.track(caller, response.body, env.outgoing);
      if (options.compress) response = withContentLength(response);
      if (middlewares.length > 0 || env.transport === undefined) return new Response(response.body, response);
      env.transport.send(response);
      return alreadySent;
    };
  const notFound = route(() => {
    throw new ApiError("not_found", "Unknown path.");
  });

  // Fixed paths first: Hono takes the first route that matches.
  for (const endpoint of endpoints.toSorted((a, b) => a.path.split(":").length - b.path.split(":").length))
    app.on(
      endpoint.method,
      [pathOf(endpoint), `${pathOf(endpoint)}/`],
      route((c, exchange) => handleEndpoint(runtime, endpoint, c, exchange)),
    );
  app.route(basePath, docsRoutes(route));
  for (const [path, methods] of methodsByPath(app))
    app.all(
      path,
      route(({ req }) => otherMethod(req.method, methods)),
    );
  for (const path of [basePath, `${rootPath}/api-key`]) app.all(path, notFound).all(`${path}/*`, notFound);
  // Errors of middlewares. Routes handle their own.
  app.onError((error, c) => route(() => Promise.reject(error))(c));
  return app.notFound(notFound);
}

async function respond(
  runtime: HttpRuntime,
  c: Context<Env>,
  handler: Handler,
  exchange: Exchange,
): Promise<HttpResponse> {
  const { trace } = exchange;
  let response: HttpResponse;
  try {
    response = await runtime.requests.run(async () => handler(c, exchange));
  } catch (error) {
    const { status, code } = toApiError(error, trace.requestId);
    if (status >= 500) report(runtime, error, trace.requestId);
    trace.code = code;
    response = errorResponse(error, trace.requestId, c.req.method);
    // Omit the rate limit headers if the API key was revoked during the upload.
    if (status === 401) exchange.rate = undefined;
  }
  const limits = exchange.rate && rateLimitHeaders(exchange.rate, runtime.context.clock.now());
  return { ...response, headers: { ...commonHeaders(trace.requestId), ...limits, ...response.headers } };
}

/** Returns a function that reads a request header. A transport reads it faster than the Headers of the Request. */
function headerReader({ req, env }: Context<Env>): HeaderReader {
  return env?.transport?.header ?? ((name) => req.header(name) ?? null);
}

function report(runtime: HttpRuntime, error: unknown, requestId: string): void {
  if (!(error instanceof Overloaded)) runtime.report(error, requestId);
}

/** Checks and runs one request of an endpoint. The order of the checks is part of the API contract. */
async function handleEndpoint(
  runtime: HttpRuntime,
  endpoint: Endpoint,
  c: Context<Env>,
  exchange: Exchange,
): Promise<HttpResponse> {
  const { req, env = {} } = c;
  const { trace } = exchange;
  const header = headerReader(c);
  const { concurrency, storage } = runtime;
  const authenticate = () =>
    authenticateRequest(runtime, endpoint, { request: req.raw, env, header, requestId: trace.requestId });
  trace.operation = endpoint.name;
  assertDeclaredLength(header("content-length"));
  const caller = await concurrency.run(authenticate);
  trace.caller = caller;
  const rate = await runtime.rateLimiter.take(rateLimitKey(caller));
  exchange.rate = rate;
  if (!rate.accepted) throw rateLimitError(rate, `Rate limit exceeded (${rate.limit} requests per minute).`);
  await runtime.unsent.waitForTurn(caller);
  runtime.unsent.assertRoom(caller);
  if (endpoint.access === "admin") await assertAdmin(storage, caller);
  const query = parseQueryString(req.url);
  // Checked here as well as in `runEndpoint`: a caller without the scope learns nothing about its body.
  assertScope(endpoint, { caller, query: query.values });
  const uploadedSince = runtime.now();
  const bytes = await (env.transport?.readBody() ?? readBody(req.raw));
  if (runtime.now() - uploadedSince > maxUnverifiedMs) await authenticate();
  const result = await concurrency.run(() =>
    runEndpoint(runtime, endpoint, {
      caller,
      params: req.param() as Record<string, string>,
      query: query.values,
      queryFindings: query.findings,
      body: bytes.length === 0 ? undefined : parseBody(bytes, header),
      idempotencyKey: endpoint.method === "POST" ? header("idempotency-key") : undefined,
      ifMatch: endpoint.method === "GET" ? undefined : header("if-match"),
      ifNoneMatch: endpoint.method === "GET" ? header("if-none-match") : undefined,
      tenantId: header("x-tenant-id"),
      rate,
    }),
  );
  trace.replayed = result.replayed;
  // Other responses of the caller may have been built in the meantime. Only a GET can be rejected after it has run.
  if (endpoint.method === "GET") runtime.unsent.assertRoom(caller);
  return successResponse(result, endpoint, req.url);
}

function successResponse(result: EndpointResponse, endpoint: Endpoint, url: string): HttpResponse {
  const headers: Record<string, string> = {};
  for (const name in result.headers) headers[name.toLowerCase()] = result.headers[name] as string;
  if (result.body !== null) headers["content-type"] = "application/json";
  if (result.replayed) headers["idempotent-replayed"] = "true";
  if (result.location !== null) headers.location = relativeTo(url, endpoint.path, result.location);
  return { status: result.status, headers, body: result.body };
}

function otherMethod(method: string, methods: ReadonlySet<string>): HttpResponse {
  const allow = [...methods, ...(methods.has("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
  if (method === "OPTIONS") return { status: 204, headers: { allow }, body: null };
  const message = `Method ${method.slice(0, 20)} isn't allowed. Allowed: ${allow}.`;
  throw new ApiError("bad_request", message, { status: 405, headers: { Allow: allow } });
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
