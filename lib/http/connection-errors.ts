import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { ApiError } from "../model/errors.ts";
import { maxBodyBytes } from "./body.ts";
import { errorResponse, resolveRequestId } from "./http-exchange.ts";

export const headersTooLarge = "The URL and the headers have more than 16 KiB, or there are more than 1,000 headers.";

/** Parser errors of Node whose status isn't 400. */
const parserErrors: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, headersTooLarge],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "The chunk extensions of the body are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request took too long to arrive."],
};

/** Time before a rejected connection is destroyed. */
const closeTimeoutMs = 1_000;

/** The response to the last request of each connection. */
export type LastResponses = WeakMap<Duplex, ServerResponse>;

/**
 * Sends the documented error envelope for requests that never reach the API.
 * @param extraHeaders headers to add to these responses
 */
export function handleConnectionErrors(
  server: Server,
  lastResponses: LastResponses,
  newRequestId: () => string,
  extraHeaders: Readonly<Record<string, string>> = {},
): void {
  const toResponse = (status: number, message: string, incoming?: IncomingMessage) => {
    const requestId = resolveRequestId(incoming?.headers["x-request-id"], newRequestId);
    const { headers, ...response } = errorResponse(new ApiError("bad_request", message, { status }), requestId);
    return { ...response, headers: { ...extraHeaders, ...headers } };
  };
  const reject = (socket: Duplex, status: number, message: string, incoming?: IncomingMessage): void => {
    const last = lastResponses.get(socket);
    const open = last?.closed === false ? last : undefined;
    // An earlier request arrived completely and may have had its effect. Send its response first.
    if (open?.req.complete === true) {
      open.once("close", () => reject(socket, status, message, incoming));
      return;
    }
    // The response was already sent. The error is in the unread body.
    const hasResponded = open === undefined && last?.req.complete === false;
    if (!socket.writable || (open?.headersSent === true && !open.writableEnded)) socket.destroy();
    else if (hasResponded) socket.end();
    else if (open?.headersSent !== true) socket.end(toRawResponse(toResponse(status, message, incoming)));
    const destroy = setTimeout(() => socket.destroy(), closeTimeoutMs).unref();
    socket.once("close", () => clearTimeout(destroy));
  };
  const rejected = new WeakSet<Duplex>();
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET") return void socket.destroy();
    // Further errors of this connection follow from the first.
    if (rejected.has(socket)) return;
    rejected.add(socket);
    reject(socket, ...(parserErrors[error.code ?? ""] ?? [400, "The request isn't valid HTTP/1.1."]));
  });
  server.on("connect", (incoming, socket) => reject(socket, 405, "The server doesn't support CONNECT.", incoming));
  server.on("checkExpectation", (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { status, headers, body } = toResponse(417, "Expect must be 100-continue.", incoming);
    outgoing
      .writeHead(status, { ...headers, "content-length": Buffer.byteLength(body), Connection: "close" })
      .end(body);
  });
  server.on("checkContinue", (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // A body that is too large is rejected before it is sent.
    if (Number(incoming.headers["content-length"] ?? 0) <= maxBodyBytes) outgoing.writeContinue();
    server.emit("request", incoming, outgoing);
  });
}

function toRawResponse({ status, headers, body }: ReturnType<typeof errorResponse>): string {
  const all = Object.entries({ ...headers, "content-length": Buffer.byteLength(body), connection: "close" });
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...all.map(([name, value]) => `${name}: ${value}`)];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}
