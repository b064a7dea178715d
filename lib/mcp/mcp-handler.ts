import {
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Endpoint } from "../api/endpoint.ts";
import { me } from "../endpoints/me.ts";
import { alreadySent } from "../http/app.ts";
import { authenticateRequest } from "../http/authenticate-request.ts";
import { assertDeclaredLength, parseBody, readBody } from "../http/body.ts";
import { type Api, internals } from "../http/create-api.ts";
import {
  commonHeaders,
  errorResponse,
  type HttpResponse,
  headerReader,
  otherMethod,
  type RequestEnv,
  resolveRequestId,
  toApiError,
} from "../http/http-exchange.ts";
import { startTrace } from "../http/http-runtime.ts";
import { OverloadedError } from "../http/load-limits.ts";
import { ApiError } from "../model/errors.ts";
import { createMcp, type McpOptions } from "./create-mcp.ts";
import { inProcessCall } from "./in-process-call.ts";
import { assertOrigin, corsHeaders } from "./origins.ts";

export type McpHandlerOptions = {
  /** Whether to leave out the tools that write. */
  readonly readOnly?: boolean;
  /** Origins of web pages that may send requests, or `*`. Requests without the header Origin are always accepted. */
  readonly allowedOrigins?: readonly string[];
  /** Sends the requests of the tools. The default is `api.fetch`. */
  readonly fetch?: Api["fetch"];
};

export type McpHandler = {
  /** The adapters of the library pass on only this path. */
  readonly servedPath: "/mcp";
  /** Handles a request for `/mcp`, with any prefix. Never rejects. */
  fetch(request: Request, env?: RequestEnv): Promise<Response>;
};

const methods: ReadonlySet<string> = new Set(["POST"]);

/**
 * Creates the MCP server of an API over HTTP. Its tools call `api.fetch` with the credentials of the caller. It has no
 * sessions and sends no streams.
 */
export function mcpHandler(api: Pick<Api, "fetch" | typeof internals>, options: McpHandlerOptions = {}): McpHandler {
  const { [internals]: runtime } = api;
  const { readOnly, allowedOrigins = [], fetch = api.fetch } = options;
  const connections = new WeakMap<object, McpOptions>();
  const toServer = ({ requestInfo }: Pick<McpRequestContext, "requestInfo">) =>
    createMcp(connections.get(requestInfo as Request) as McpOptions);
  const modern = createMcpHandler(toServer, { legacy: "reject" });

  /** Serves a request of the revision 2025-11-25, which has no sessions and a JSON response. */
  async function serveLegacy(requestInfo: Request, parsedBody: unknown): Promise<Response> {
    const server = toServer({ requestInfo });
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    try {
      return await transport.handleRequest(requestInfo, { parsedBody });
    } finally {
      await server.close();
    }
  }

  async function serveMessage(message: object, request: Request, mcp: McpOptions): Promise<HttpResponse> {
    // It would open a stream.
    if ("method" in message && message.method === "subscriptions/listen")
      return jsonRpcError(404, ProtocolErrorCode.MethodNotFound, "The server has no subscriptions.");
    const { url, method, headers } = request;
    const exchange = new Request(url, { method, headers: new Headers(headers) });
    connections.set(exchange, mcp);
    const isLegacy = await isLegacyRequest(exchange, message);
    const response = await (isLegacy
      ? serveLegacy(exchange, message)
      : modern.fetch(exchange, { parsedBody: message }));
    const body = await response.text();
    return { status: response.status, headers: Object.fromEntries(response.headers), body: body === "" ? null : body };
  }

  /** @throws ApiError for a request that is rejected before a tool runs */
  async function respond(request: Request, env: RequestEnv, requestId: string): Promise<HttpResponse> {
    if (!/\/mcp\/?$/.test(new URL(request.url).pathname)) throw new ApiError("not_found", "Unknown path.");
    if (request.method !== "POST") return otherMethod(request.method, methods);
    const header = headerReader(request, env);
    assertDeclaredLength(header("content-length"));
    const received = { request, env, header, requestId, onRejectedKey: () => {} };
    await runtime.requests.run(() =>
      runtime.concurrency.run(() => authenticateRequest(runtime, me[0] as Endpoint, received)),
    );
    const bytes = await (env.transport?.readBody() ?? readBody(request));
    const call = inProcessCall({ fetch }, { request, env, requestId });
    const mcp = { call, readOnly, onError: (error: unknown) => runtime.report(error, requestId) };
    let message: object;
    try {
      message = parseBody(bytes, header);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 400) throw error;
      return jsonRpcError(400, ProtocolErrorCode.ParseError, error.message);
    }
    return serveMessage(message, request, mcp);
  }

  /** Responds to every request. A rejected one is logged; the API logs the requests of tools. */
  async function respondOrReject(request: Request, env: RequestEnv, requestId: string): Promise<HttpResponse> {
    const startedAt = runtime.now();
    try {
      assertOrigin(request.headers.get("origin"), allowedOrigins);
      return await respond(request, env, requestId);
    } catch (error) {
      const apiError = toApiError(error, requestId);
      if (apiError.status >= 500 && !(error instanceof OverloadedError)) runtime.report(error, requestId);
      const response = errorResponse(error, requestId, request.method);
      const { method, url } = request;
      const ended = { method, url, header: headerReader(request, env), env, source: "mcp", response } as const;
      const trace = { ...startTrace(requestId, startedAt), error: apiError };
      runtime.onEnd(trace, { ...ended, durationMs: runtime.now() - startedAt });
      return response;
    }
  }

  return {
    servedPath: "/mcp",
    async fetch(request, env = {}) {
      const requestId = resolveRequestId(headerReader(request, env)("x-request-id"), runtime.context.newId);
      let response: HttpResponse;
      try {
        response = await respondOrReject(request, env, requestId);
      } catch (error) {
        // The host's clock failed.
        runtime.report(error, requestId);
        response = errorResponse(error, requestId, request.method);
      }
      const headers = {
        ...commonHeaders(requestId),
        ...response.headers,
        ...corsHeaders(request, allowedOrigins),
      };
      const { status, body } = response;
      if (env.transport === undefined) return new Response(body, { status, headers });
      env.transport.send({ status, headers, body });
      return alreadySent;
    },
  };
}

function jsonRpcError(status: number, code: number, message: string): HttpResponse {
  const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } });
  return { status, headers: { "content-type": "application/json" }, body };
}
