import { RESPONSE_ALREADY_SENT as alreadySent } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import { runEndpoint } from "../api.js";
import { ApiError } from "../errors.js";
import { assertScope } from "../incoming.js";
import { responseMiddlewares } from "./app-options.js";
import { assertAdmin, authenticateRequest } from "./authenticate-request.js";
import { assertDeclaredLength, parseBody, readBody } from "./body.js";
import { docsRoutes } from "./docs-routes.js";
import { commonHeaders, errorResponse, rateLimitError, rateLimitHeaders, resolveRequestId, toApiError, } from "./http-response.js";
import { apiPath, basePath, pathOf, relativeTo, rootPath } from "./paths.js";
import { Overloaded } from "./pending-work.js";
import { parseQueryString } from "./query-string.js";
import { startTrace, summarize } from "./request-log.js";
import { rateLimitKey } from "./unsent-bytes.js";
export { alreadySent };
/** An upload that takes longer than this is authenticated again, because the API key may have been revoked. */
const maxUnverifiedMs = 100;
/**
 * Returns the API as a Hono app. Serve its `fetch`, or mount it with `app.route("/crm", crmApp(api))`.
 * Served on its own, it accepts any path before `/integrations`, such as the prefix of a gateway.
 */
export function crmApp(api, options = {}) {
    const { runtime, endpoints } = api;
    const app = new Hono({ getPath: ({ url }) => apiPath(url) });
    // They change the Response, which a transport would bypass.
    const middlewares = responseMiddlewares(options);
    for (const middleware of middlewares)
        app.use(middleware);
    const route = (handler) => async (c) => {
        const { req, env = {} } = c;
        const requestId = resolveRequestId(req.header("x-request-id"), runtime.context.newId);
        let response;
        let caller;
        try {
            const exchange = { trace: startTrace(requestId, runtime.now()), rate: undefined };
            response = await respond(runtime, c, handler, exchange);
            runtime.onResponse?.(summarize(exchange.trace, response.status, runtime.now()));
            caller = exchange.trace.caller;
        }
        catch (error) {
            // A clock or a rate limiter of the host failed.
            report(runtime, error, requestId);
            response = errorResponse(error, requestId, req.method);
        }
        if (caller !== undefined)
            runtime.unsent.track(caller, response.body, env.outgoing);
        if (middlewares.length > 0 || env.transport === undefined)
            return toWebResponse(response);
        env.transport.send(response);
        return alreadySent;
    };
    const notFound = route(() => {
        throw new ApiError("not_found", "Unknown path.");
    });
    // Fixed paths first: Hono takes the first route that matches.
    for (const endpoint of endpoints.toSorted((a, b) => a.path.split(":").length - b.path.split(":").length))
        app.on(endpoint.method, 
        // A host's app doesn't remove the slash at the end, as `apiPath` does.
        [pathOf(endpoint), `${pathOf(endpoint)}/`], route((c, exchange) => handleEndpoint(runtime, endpoint, c, exchange)));
    app.route(basePath, docsRoutes(route));
    for (const [path, methods] of methodsByPath(app))
        app.all(path, route(({ req }) => otherMethod(req.method, methods)));
    for (const path of [basePath, `${rootPath}/api-key`])
        app.all(path, notFound).all(`${path}/*`, notFound);
    // Errors of middlewares. Routes handle their own.
    app.onError((error, c) => route(() => Promise.reject(error))(c));
    return app.notFound(notFound);
}
async function respond(runtime, c, handler, exchange) {
    const { trace } = exchange;
    let response;
    try {
        response = await runtime.requests.run(async () => handler(c, exchange));
    }
    catch (error) {
        const { status, code } = toApiError(error, trace.requestId);
        if (status >= 500)
            report(runtime, error, trace.requestId);
        trace.code = code;
        response = errorResponse(error, trace.requestId, c.req.method);
        // Omit the rate limit headers if the API key was revoked during the upload.
        if (status === 401)
            exchange.rate = undefined;
    }
    const limits = exchange.rate && rateLimitHeaders(exchange.rate, runtime.context.clock.now());
    return { ...response, headers: { ...commonHeaders(trace.requestId), ...limits, ...response.headers } };
}
function report(runtime, error, requestId) {
    if (!(error instanceof Overloaded))
        runtime.report(error, requestId);
}
/** Checks and runs one request of an endpoint. The order of the checks is part of the API contract. */
async function handleEndpoint(runtime, endpoint, { req, env = {} }, exchange) {
    const { trace } = exchange;
    const { concurrency, storage } = runtime;
    const authenticate = () => authenticateRequest(runtime, endpoint, req.raw, env, trace.requestId);
    trace.operation = endpoint.name;
    assertDeclaredLength(req.header("content-length"));
    const caller = await concurrency.run(authenticate);
    trace.caller = caller;
    const rate = await runtime.limiter.take(rateLimitKey(caller));
    exchange.rate = rate;
    if (!rate.accepted)
        throw rateLimitError(rate, `Rate limit exceeded (${rate.limit} requests per minute).`);
    await runtime.unsent.waitForTurn(caller);
    runtime.unsent.assertRoom(caller);
    if (endpoint.access === "admin")
        await assertAdmin(storage, caller);
    const query = parseQueryString(req.url);
    // Checked here as well as in `runEndpoint`: a caller without the scope learns nothing about its body.
    assertScope(endpoint, { caller, query: query.values });
    const uploadedSince = runtime.now();
    const bytes = await (env.transport?.readBody() ?? readBody(req.raw));
    if (runtime.now() - uploadedSince > maxUnverifiedMs)
        await authenticate();
    const result = await concurrency.run(() => runEndpoint(runtime, endpoint, {
        caller,
        params: req.param(),
        query: query.values,
        queryFindings: query.findings,
        body: bytes.length === 0 ? undefined : parseBody(bytes, req.raw.headers),
        idempotencyKey: endpoint.method === "POST" ? req.header("idempotency-key") : undefined,
        ifMatch: endpoint.method === "GET" ? undefined : req.header("if-match"),
        ifNoneMatch: endpoint.method === "GET" ? req.header("if-none-match") : undefined,
        tenantId: req.header("x-tenant-id"),
        rate,
    }));
    trace.replayed = result.replayed;
    // Other responses of the caller may have been built in the meantime. Only a GET can be rejected after it has run.
    if (endpoint.method === "GET")
        runtime.unsent.assertRoom(caller);
    return successResponse(result, endpoint, req.url);
}
function successResponse(result, endpoint, url) {
    const headers = {};
    for (const name in result.headers)
        headers[name.toLowerCase()] = result.headers[name];
    if (result.body !== null)
        headers["content-type"] = "application/json";
    if (result.replayed)
        headers["idempotent-replayed"] = "true";
    if (result.location !== null)
        headers.location = relativeTo(url, endpoint.path, result.location);
    return { status: result.status, headers, body: result.body };
}
function otherMethod(method, methods) {
    const allow = [...methods, ...(methods.has("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
    if (method === "OPTIONS")
        return { status: 204, headers: { allow }, body: null };
    const message = `Method ${method.slice(0, 20)} isn't allowed. Allowed: ${allow}.`;
    throw new ApiError("bad_request", message, { status: 405, headers: { Allow: allow } });
}
function methodsByPath({ routes }) {
    const methods = new Map();
    for (const { path, method } of routes) {
        if (method !== "ALL")
            methods.set(path, (methods.get(path) ?? new Set()).add(method));
    }
    return methods;
}
/** `compress` leaves short bodies alone only if it knows their length. */
function toWebResponse({ status, headers, body }) {
    const length = body === null ? {} : { "content-length": String(Buffer.byteLength(body)) };
    return new Response(body, { status, headers: { ...headers, ...length } });
}
