import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { Http2ServerRequest } from "node:http2";
import type { Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { ApiError } from "../model/errors.ts";
import { uuidV7 } from "../model/uuid.ts";
import { readNodeBody } from "./body.ts";
import { headersTooLarge } from "./connection-errors.ts";
import type { RawExchange, RequestEnv } from "./http-exchange.ts";
import { errorResponse, type HttpResponse, resolveRequestId } from "./http-exchange.ts";

/** A handler that can be served: the API, the app that `api.app()` returns, or the console. */
export type FetchHandler = {
  /** The path that the handler serves below any prefix, such as `/console`. By default, it serves the paths of the API. */
  readonly servedPath?: string;
  fetch(request: Request, env: RequestEnv): Response | Promise<Response>;
};

export type NodeOptions = {
  /** Returns the client address, for example behind trusted proxies. The default is `request.ip` or the socket's address. */
  readonly remoteAddress?: (incoming: IncomingMessage) => string | undefined;
  /** Aborted when the server stops. */
  readonly stopping?: AbortSignal;
  /** Returns a request ID for requests that are rejected before they reach the API. The default is a UUID. */
  readonly newRequestId?: () => string;
};

/** A Node request as Express and similar frameworks pass it on. */
export type MountedRequest = IncomingMessage & {
  /** The request target before the mount path was removed. */
  readonly originalUrl?: string | undefined;
  /** The client address, determined by the framework's proxy settings. */
  readonly ip?: string | undefined;
};

/**
 * Returns a listener for `node:http`. Responses are written to the Node response directly, and globals stay unchanged.
 * The requests of a connection run one after the other, so that a client that doesn't read fills no memory.
 */
export function toNodeListener(handler: FetchHandler, options: NodeOptions = {}): RequestListener {
  const { newRequestId = () => uuidV7(Date.now()) } = options;
  const listener = getRequestListener(
    (request, { incoming, outgoing }) => {
      const node = incoming as MountedRequest;
      const remoteAddress = options.remoteAddress?.(node) ?? node.ip ?? node.socket.remoteAddress;
      const transport: RawExchange = {
        header: (name) => readHeader(node, request, name),
        readBody: (maxBytes) => readNodeBody(node, maxBytes),
        send: (response) => {
          try {
            write(response, outgoing as ServerResponse);
          } catch {
            // The host has replaced methods of the response, and they fail.
            outgoing.destroy();
          }
        },
      };
      const env = { remoteAddress, incoming: node, outgoing: outgoing as ServerResponse, stopping: options.stopping };
      return handler.fetch(request, { ...env, transport });
    },
    { overrideGlobalObjects: false, hostname: defaultHost },
  );
  const reject = (incoming: IncomingMessage, outgoing: ServerResponse, message: string, status = 400): void => {
    const requestId = resolveRequestId(incoming.headers["x-request-id"], newRequestId);
    outgoing.setHeader("Connection", "close");
    write(errorResponse(new ApiError("bad_request", message, { status }), requestId), outgoing);
  };
  return inOrder((incoming: MountedRequest, outgoing) => {
    restoreRawHeaders(incoming);
    // Node before version 24 ignores the headers after them, such as an Idempotency-Key.
    if (incoming.rawHeaders.length > 2 * maxHeaders) return reject(incoming, outgoing, headersTooLarge, 431);
    const error = framingError(incoming);
    if (error !== undefined) return reject(incoming, outgoing, error);
    if (incoming.originalUrl !== undefined) incoming.url = incoming.originalUrl;
    if (!isTargetValid(incoming)) return reject(incoming, outgoing, invalidTarget);
    void listener(incoming, outgoing);
  });
}

/** Headers of which Node returns only the first value. A request with two credentials must be rejected. */
const firstOnly = new Set(["authorization", "content-type"]);

/** Reads a header from the Node request, which is faster than from the Headers of the Request. */
function readHeader({ headers }: IncomingMessage, request: Request, name: string): string | null {
  const value = headers[name];
  if (typeof value !== "string") return null;
  return firstOnly.has(name) ? request.headers.get(name) : value;
}

/** `rawHeaders` has a name and a value of each. */
const maxHeaders = 1_000;
const minBufferedBytes = 64 * 1024;
/** The host of an HTTP/1.0 request without a Host header. */
const defaultHost = "localhost";
const invalidTarget = "The URL or the Host header of the request is invalid.";

function write({ status, headers, body }: HttpResponse, outgoing: ServerResponse): void {
  // The host may have sent a response already, for example after a timeout.
  if (outgoing.headersSent) return;
  if (body === null) return void outgoing.writeHead(status, headers).end();
  const length = Buffer.byteLength(body);
  // ASCII text can be sent as latin1, which is faster than encoding it as UTF-8.
  const encoding = length === body.length ? "latin1" : "utf8";
  outgoing.writeHead(status, { ...headers, "content-length": length });
  // Node encodes a long text faster into a buffer than into a socket.
  if (encoding === "utf8" && length > minBufferedBytes) outgoing.end(Buffer.from(body));
  else outgoing.end(body, encoding);
}

/** Delays a pipelined request until the previous response of its connection is sent. */
function inOrder(listener: RequestListener): RequestListener {
  const latest = new WeakMap<Socket, ServerResponse>();
  return (incoming, outgoing) => {
    if (isHttp2(incoming)) return listener(incoming, outgoing);
    const { socket } = incoming;
    const previous = latest.get(socket);
    latest.set(socket, outgoing);
    if (previous === undefined || previous.writableFinished) return listener(incoming, outgoing);
    // Without the pause, Node would parse more requests that can't run yet.
    socket.pause();
    previous.once("close", () => {
      if (socket.destroyed) return;
      if (latest.get(socket) === outgoing) socket.resume();
      listener(incoming, outgoing);
    });
  };
}

/**
 * Returns whether the target and the host make a URL. The rules are at least as strict as those of @hono/node-server, which
 * sends no error envelope.
 */
function isTargetValid(incoming: IncomingMessage): boolean {
  const { url = "", headers } = incoming;
  if (url.split("?", 1)[0]?.includes("\\")) return false;
  if (/^https?:\/\//.test(url)) return !isHttp2(incoming) && URL.canParse(url);
  if (url !== "" && !url.startsWith("/")) return false;
  if (isHttp2(incoming) && !/^https?$/.test(incoming.scheme)) return false;
  const host = (isHttp2(incoming) ? incoming.authority : headers.host) || defaultHost;
  // A URL parser changes some hosts, for example 127.1 to 127.0.0.1.
  return URL.parse(`http://${host}/`)?.hostname === host.replace(/:\d+$/, "").toLowerCase();
}

/** Describes framing that Node's parser accepts but a proxy could read differently, which allows request smuggling. */
function framingError(incoming: IncomingMessage): string | undefined {
  if (isHttp2(incoming)) return undefined;
  const { headers, httpVersion, rawHeaders, url = "" } = incoming;
  const coding = headers["transfer-encoding"];
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return "The server supports HTTP/1.1 and HTTP/1.0.";
  if (coding !== undefined && httpVersion === "1.0") return "An HTTP/1.0 request can't have Transfer-Encoding.";
  if (coding !== undefined && coding.toLowerCase() !== "chunked") return "Transfer-Encoding must be chunked.";
  if (/^https?:\/\/[^/?#]*@/i.test(url)) return invalidTarget;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  const isValid = httpVersion === "1.0" ? hosts < 2 : hosts === 1 && headers.host !== "";
  return isValid ? undefined : "An HTTP/1.1 request must have exactly one Host header.";
}

/** Fills `rawHeaders` of requests that an adapter for serverless platforms has created from parsed headers. */
function restoreRawHeaders(incoming: IncomingMessage): void {
  if (incoming.rawHeaders?.length > 0) return;
  const pairs = Object.entries(incoming.headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => [name, each]),
  );
  incoming.rawHeaders = pairs.flat();
}

/** Node's compatibility API passes HTTP/2 requests in the shape of HTTP/1 requests. */
function isHttp2(incoming: object): incoming is Http2ServerRequest {
  return incoming instanceof Http2ServerRequest;
}
