import { RESPONSE_ALREADY_SENT as alreadySent } from "@hono/node-server/utils/response";
import { type Context, Hono } from "hono";
import type { Endpoint } from "../api/endpoint.ts";
import { assertScope } from "../api/endpoint-request.ts";
import { type RecordRead, startRecordRead } from "../api/idempotency.ts";
import { waitSeconds } from "../api/preferences.ts";
import { type EndpointResponse, runEndpoint } from "../api/run-endpoint.ts";
import { assertAdmin } from "../auth/admin.ts";
import { ApiError } from "../model/errors.ts";
import { StorageUnavailable } from "../storage/storage.ts";
import { authenticateRequest } from "./authenticate-request.ts";
import { assertDeclaredLength, parseBody, readBody } from "./body.ts";
import { docsRoutes } from "./docs/docs-routes.ts";
import { tenantDescription } from "./docs/tenant-description.ts";
import {
  type AppOptions,
  commonHeaders,
  corsAndCompression,
  errorResponse,
  type HttpResponse,
  headerReader,
  otherMethod,
  type RequestEnv,
  rateLimitError,
  rateLimitHeaders,
  resolveRequestId,
  successResponse,
  toApiError,
  withContentLength,
} from "./http-exchange.ts";
import { type HttpRuntime, type RequestTrace, startTrace, withWrites } from "./http-runtime.ts";
import { OverloadedError, rateLimitKey, type TenantQueue } from "./load-limits.ts";
import { basePath, parseQueryString, pathOf, rootPath, stripGatewayPrefix, suggestPath } from "./paths.ts";

type Env = { Bindings: RequestEnv };
type Handler = (c: Context<Env>, trace: RequestTrace) => HttpResponse | Promise<HttpResponse>;

export { alreadySent };

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
  const { method, url } = c.req;
  const header = headerReader(c.req.raw, c.env);
  const requestId = resolveRequestId(header("x-request-id"), runtime.context.newId);
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
    const durationMs = runtime.now() - trace.startedAt;
    const source = c.env?.source ?? runtime.source;
    runtime.onEnd(trace, { method, url, header, env: c.env ?? {}, source, response, durationMs });
    if (trace.caller !== undefined) runtime.unsent.track(trace.caller, response.body, c.env?.outgoing);
  } catch (error) {
    // The host's clock failed.
    runtime.report(error, requestId);
    response = errorResponse(error, requestId, method);
  }
  return send(response, c);
}

function toErrorResponse(runtime: HttpRuntime, error: unknown, trace: RequestTrace, method: string): HttpResponse {
  const apiError = toApiError(error, trace.requestId);
  const { status } = apiError;
  if (status >= 500 && !(error instanceof OverloadedError)) {
    if (error instanceof StorageUnavailable) runtime.counts.storageUnavailable++;
    runtime.report(error, trace.requestId);
  }
  trace.error = apiError;
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
  const idempotencyKey = endpoint.method === "POST" ? header("idempotency-key") : undefined;
  let recordRead: RecordRead | undefined;
  const authenticate = () =>
    authenticateRequest(runtime, endpoint, {
      ...{ request: req.raw, env, header, requestId: trace.requestId },
      onExpected: (caller) => {
        recordRead ??= startRecordRead(storage, caller, idempotencyKey);
      },
      onRejectedKey: (key) => {
        trace.rejectedKey = key;
      },
    });
  trace.endpoint = endpoint;
  trace.params = req.param() as Record<string, string>;
  assertDeclaredLength(header("content-length"));
  let authenticated = await concurrency.run(authenticate);
  const { caller, apiKey } = authenticated;
  const verifiedAt = runtime.now();
  const verifyAgain = async (): Promise<void> => {
    if (runtime.now() - verifiedAt > maxUnverifiedMs) authenticated = await authenticate();
  };
  trace.caller = caller;
  trace.apiKey = apiKey;
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
  const traced = endpoint.method === "GET" ? runtime : withWrites(runtime, trace);
  const run = (): Promise<EndpointResponse> =>
    concurrency.run(() => {
      trace.body = bytes.length === 0 ? undefined : parseBody(bytes, header);
      return runEndpoint(traced, endpoint, {
        caller,
        params: trace.params,
        query: query.values,
        queryIssues: query.issues,
        body: trace.body,
        idempotencyKey,
        recordRead,
        ifMatch: endpoint.method === "GET" ? undefined : header("if-match"),
        prefer: header("prefer"),
        ifNoneMatch: endpoint.method === "GET" ? header("if-none-match") : undefined,
        tenantId: header("x-tenant-id"),
        rate,
        settingsVersion: authenticated.settingsVersion,
        requestId: trace.requestId,
      });
    });
  const queue = queueOf(runtime, endpoint);
  const runInTurn = (): Promise<EndpointResponse> =>
    queue === undefined
      ? run()
      : queue.run(caller.tenantId, async () => {
          await verifyAgain();
          runtime.unsent.assertCapacity(caller);
          return run();
        });
  const seconds = endpoint.canWait ? waitSeconds(header("prefer")) : undefined;
  const result = await (seconds === undefined ? runInTurn() : runtime.waiting.run(caller, seconds, env, runInTurn));
  trace.replayed = result.replayed;
  // Other responses of the caller may have been built in the meantime. Only a GET can be rejected after it has run.
  if (endpoint.method === "GET") runtime.unsent.assertCapacity(caller);
  return successResponse(result, endpoint, req.url);
}

/** Returns the queue in which requests of an endpoint wait, because their responses can be large. */
function queueOf({ longRequests, pages }: HttpRuntime, { isLong, success }: Endpoint): TenantQueue | undefined {
  if (isLong) return longRequests;
  return success.collection === "page" || success.collection === "history" ? pages : undefined;
}

function methodsByPath({ routes }: Hono<Env>): ReadonlyMap<string, ReadonlySet<string>> {
  const methods = new Map<string, Set<string>>();
  for (const { path, method } of routes) {
    if (method !== "ALL") methods.set(path, (methods.get(path) ?? new Set()).add(method));
  }
  return methods;
}
