import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { ApiError } from "../errors.ts";
import { errorAnswer, requestIdOf } from "./answer.ts";
import type { Api } from "./create-api.ts";
import { toNodeListener } from "./node.ts";

export type RunningServer = {
  /** `http://host:port`, with the port that was chosen where 0 was asked for. */
  readonly url: string;
  readonly server: Server;
  /** Stops listening and answers every request begun; after `drainMs` what is left is cut off. */
  close(): Promise<void>;
};

export type ServerOptions = {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly drainMs?: number;
};

/** A client that needs longer for its headers or body holds a connection for nothing. */
const headersTimeoutMs = 10_000;
const requestTimeoutMs = 60_000;
const keepAliveTimeoutMs = 65_000;
const drainMsDefault = 10_000;

/** What the parser refuses before there is a request, and the answer it gets. All else is 400. */
const parserFaults: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, "The request's headers are larger than 16 KiB."],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "The request's chunk extensions are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request did not arrive in time."],
};

/** Serves the API on a port of its own. Whatever the client sends, what it gets back is the documented envelope. */
export function serve(api: Api, options: ServerOptions): Promise<RunningServer> {
  const timeouts = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
  };
  const server = createServer({ ...timeouts, requireHostHeader: false }, toNodeListener(api));
  const answering = new Map<Duplex, ServerResponse>();
  server.prependListener("request", ({ socket }: IncomingMessage, outgoing: ServerResponse) => {
    answering.set(socket, outgoing);
    outgoing.once("close", () => {
      if (answering.get(socket) === outgoing) answering.delete(socket);
    });
    if (!server.listening) outgoing.setHeader("Connection", "close");
  });
  const refuse = (socket: Duplex, status: number, message: string, incoming?: IncomingMessage): void => {
    const begun = answering.get(socket);
    const requestId = requestIdOf(incoming?.headers["x-request-id"], api.newRequestId);
    if (!socket.writable || (begun?.headersSent === true && !begun.writableFinished)) socket.destroy();
    else socket.end(rawAnswer(new ApiError("bad_request", message, { status }), requestId));
  };
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET") return void socket.destroy();
    refuse(socket, ...(parserFaults[error.code ?? ""] ?? [400, "The request is not valid HTTP/1.1."]));
  });
  server.on("connect", (incoming, socket) => refuse(socket, 405, "This server takes no CONNECT.", incoming));
  server.on("checkExpectation", (incoming) => {
    refuse(incoming.socket, 417, "Expect takes 100-continue only.", incoming);
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, () => {
      server.off("error", reject);
      const close = () => {
        for (const outgoing of answering.values()) if (!outgoing.headersSent) outgoing.setHeader("Connection", "close");
        return drain(server, options.drainMs ?? drainMsDefault);
      };
      resolve({ url: urlOf(server), server, close });
    });
  });
}

function drain(server: Server, drainMs: number): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), drainMs);
    server.close(() => {
      clearTimeout(force);
      resolve();
    });
    server.closeIdleConnections();
  });
}

function rawAnswer(error: ApiError, requestId: string): string {
  const { status, headers, body } = errorAnswer(error, requestId);
  const length = String(Buffer.byteLength(body));
  const lines = Object.entries({ ...headers, "Content-Length": length, Connection: "close" });
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines.map(([name, value]) => `${name}: ${value}`)];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
