import type { IncomingMessage, ServerResponse } from "node:http";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { type Context, Hono } from "hono";
import { type EndpointResponse, runEndpoint } from "../api.ts";
import type { Caller, Endpoint } from "../endpoint.ts";
import { ApiError } from "../errors.ts";
import { assertScope } from "../incoming.ts";
import type { LimitState } from "../limits.ts";
import { type AppOptions, responseMiddlewares } from "./app-options.ts";
import { assertAdmin, authenticateRequest } from "./authenticate-request.ts";
import { assertDeclaredLength, parseBody, readBody } from "./body.ts";
import type { Api, HttpRuntime } from "./create-api.ts";
import { docsRoutes } from "./docs-routes.ts";
import {
  commonHeaders,
  errorResponse,
  type HttpResponse,
  rateLimitError,
  rateLimitHeaders,
  resolveRequestId,
  toApiError,
} from "./http-response.ts";
import { Overloaded } from "./pending-work.ts";
import { parseQueryString } from "./query-string.ts";
import { type RequestTrace, startTrace, summarize } from "./request-log.ts";
import { rateLimitKey } from "./unsent-bytes.ts";

/** What the server or the host knows about a request besides the Request. The second parameter of `fetch`. */
export type RequestEnv = {
  /** The client address. Failed authentication is limited by it. The default is the address of the socket. */
  readonly remoteAddress?: string | undefined;
  /** The request object of the host's framework, for `authenticate`. */
  readonly hostRequest?: unknown;
  /** The Node request and response, set by @hono/node-server. */
  readonly incoming?: IncomingMessage | undefined;
  readonly outgoing?: ServerResponse | undefined;
  /** Reads the body and sends the response in place of `Request` and `Response`. */
  readonly transport?: Transport | undefined;
};

/** A faster way than `Request` and `Response` to read the body of a request and to send its response. */
export interface Transport {
  readBody(): Promise<Uint8Array>;
  send(response: HttpResponse): void;
}

type Env = { Bindings: RequestEnv };
type Handler = (c: Context<Env>, exchange: Exchange) => HttpResponse | Promise<HttpResponse>;
/** Turns a handler into a route. Sends errors in the documented envelope, and rejects requests after `close`. */
export type ToRoute = (handler: Handler) => (c: Context<Env>) => Promise<Response>;

/** What is known about a request and its response so far. */
type Exchange = { readonly trace: RequestTrace; rate: LimitState | undefined };

/** Path prefix of the admin endpoints, and part of every path of the API. */
const rootPath = "/integrations";
/** Path prefix of the integration endpoints. */
export const basePath = `${rootPath}/v1`;
/** An upload that takes longer than this is authenticated again, because the API key may have been revoked. */
const maxUnverifiedMs = 100;

/**
 * Returns the API as a Hono app. Serve its `fetch`, or mount it with `app.route("/crm", crmApp(api))`.
 * Served on its own, it accepts any path before `/integrations`, such as the prefix of a gateway.
 */
export function crmApp(api: Pick<Api, "endpoints" | "runtime">, options: AppOptions = {}): Hono<Env> {
  const { runtime, endpoints } = api;
  const app = new Hono<Env>({ getPath: ({ url }) => apiPath(url) });
  const middlewares = responseMiddlewares(options);
  for (const middleware of middlewares) app.use(middleware);

  const route: ToRoute = (handler) => async (c) => {
    const { req, env = {} } = c;
    const requestId = resolveRequestId(req.header("x-request-id"), runtime.context.newId);
    let response: HttpResponse;
    let caller: Caller | undefined;
    try {
      const exchange: Exchange = { trace: startTrace(requestId, runtime.now()), rate: undefined };
      response = await runtime.requests.run(() => respond(runtime, c, handler, exchange));
      runtime.onResponse?.(summarize(exchange.trace, response.status, runtime.now()));
      caller = exchange.trace.caller;
    } catch (error) {
      // The API is closed, or a clock or rate limiter of the host failed.
      report(runtime, error, requestId);
      response = errorResponse(error, requestId, req.method);
    }
    // A transport would bypass the middlewares.
    if (middlewares.length > 0 || env.transport === undefined) {
      const length = Buffer.byteLength(response.body ?? "");
      if (env.outgoing !== undefined) runtime.unsent.track(caller, env.outgoing, length);
      return new Response(response.body, middlewares.length > 0 ? withContentLength(response, length) : response);
    }
    env.transport.send(response);
    if (env.outgoing !== undefined) runtime.unsent.track(caller, env.outgoing);
    return RESPONSE_ALREADY_SENT;
  };
  const notFound = route(() => {
    throw new ApiError("not_found", "Unknown path.");
  });

  // Fixed paths first: Hono takes the first route that matches.
  for (const endpoint of endpoints.toSorted((a, b) => a.path.split(":").length - b.path.split(":").length))
    app.on(
      endpoint.method,
      pathOf(endpoint),
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
    response = await handler(c, exchange);
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

function report(runtime: HttpRuntime, error: unknown, requestId: string): void {
  if (!(error instanceof Overloaded)) runtime.report(error, requestId);
}

/** Checks and runs one request of an endpoint. The order of the checks is part of the API contract. */
async function handleEndpoint(
  runtime: HttpRuntime,
  endpoint: Endpoint,
  { req, env = {} }: Context<Env>,
  exchange: Exchange,
): Promise<HttpResponse> {
  const { trace } = exchange;
  const { concurrency, storage } = runtime;
  const authenticate = () => authenticateRequest(runtime, endpoint, req.raw, env, trace.requestId);
  trace.operation = endpoint.name;
  assertDeclaredLength(req.header("content-length"));
  const caller = await concurrency.run(authenticate);
  trace.caller = caller;
  const rate = await runtime.limiter.take(rateLimitKey(caller));
  exchange.rate = rate;
  if (!rate.accepted) throw rateLimitError(rate, `Rate limit exceeded (${rate.limit} requests per minute).`);
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
      body: parseBody(bytes, req.header("content-type"), req.header("content-encoding")),
      idempotencyKey: req.header("idempotency-key"),
      tenantId: req.header("x-tenant-id"),
      rate,
    }),
  );
  trace.replayed = result.replayed;
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

/** Returns `location` relative to the request URL, so that it is valid behind any gateway. Both paths are relative to the base path. */
function relativeTo(url: string, path: string, location: string): string {
  const segments = path.split("/").length - 2 + (pathname(url).endsWith("/") ? 1 : 0);
  return "../".repeat(segments) + location.slice(1);
}

/** `compress` leaves short bodies alone only if it knows their length. */
function withContentLength({ status, headers, body }: HttpResponse, length: number): ResponseInit {
  return { status, headers: body === null ? headers : { ...headers, "content-length": String(length) } };
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

/** Returns the path of an endpoint, from `/integrations` on. */
export function pathOf({ access, path }: Endpoint): string {
  return (access === "admin" ? rootPath : basePath) + path;
}

/** Returns the path of a URL without the prefix of a gateway and without a slash at its end. */
export function apiPath(url: string): string {
  const path = pathname(url);
  const start = path.startsWith(`${basePath}/`) ? 0 : Math.max(path.search(apiPathPattern), 0);
  const end = path.endsWith("/") && !path.endsWith("/docs/") && path.length > 1 ? -1 : undefined;
  return path.slice(start, end);
}

/** Whether a path could belong to the API, behind any prefix. Other paths belong to the host. */
export function isApiPath(path: string): boolean {
  return apiPathPattern.test(path);
}

const apiPathPattern = /\/integrations\/(?:v1|api-key)(?:\/|$)/;

function pathname(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.slice(start).search(/[?#]/);
  return start < 0 ? "/" : url.slice(start, end < 0 ? undefined : start + end);
}
