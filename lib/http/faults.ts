import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { ApiError } from "../errors.ts";
import { errorAnswer, requestIdOf } from "./answer.ts";
import { bodyBytesMax } from "./body.ts";

/** What the parser refuses before there is a request, and the answer it gets. All else is 400. */
const parserFaults: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, "The request's headers are larger than 16 KiB, or more than 1,000."],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "The request's chunk extensions are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request did not arrive in time."],
};

/** Who was refused has this long to hang up. */
const lingerMs = 1_000;

/** What each connection is at: the last answer, for as long as it is under way, and the last request. */
export type Connections = {
  readonly answering: ReadonlyMap<Duplex, ServerResponse>;
  readonly begun: Pick<WeakMap<Duplex, IncomingMessage>, "get">;
};

/**
 * Answers with the documented envelope what never becomes a request of the API.
 * @param more headers that these answers carry too
 */
export function answerFaults(
  server: Server,
  { answering, begun }: Connections,
  newRequestId: () => string,
  more: Readonly<Record<string, string>> = {},
): void {
  const errorOf = (status: number, message: string, incoming?: IncomingMessage) => {
    const requestId = requestIdOf(incoming?.headers["x-request-id"], newRequestId);
    const { headers, ...answer } = errorAnswer(new ApiError("bad_request", message, { status }), requestId);
    return { ...answer, headers: { ...more, ...headers } };
  };
  const refuse = (socket: Duplex, status: number, message: string, incoming?: IncomingMessage): void => {
    const before = answering.get(socket);
    // A request that came whole before this may have had its effect: it gets its own answer first.
    if (before?.req.complete === true) {
      before.once("close", () => refuse(socket, status, message, incoming));
      return;
    }
    // It has its answer, and what is wrong is in the rest of its body, which nobody waits for.
    const isAnswered = before === undefined && begun.get(socket)?.complete === false;
    if (!socket.writable || (before?.headersSent === true && !before.writableEnded)) socket.destroy();
    else if (isAnswered) socket.end();
    else if (before?.headersSent !== true) socket.end(rawAnswer(errorOf(status, message, incoming)));
    const force = setTimeout(() => socket.destroy(), lingerMs).unref();
    socket.once("close", () => clearTimeout(force));
  };
  const faulty = new WeakSet<Duplex>();
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET") return void socket.destroy();
    // Whatever else comes on this connection is part of the same fault.
    if (faulty.has(socket)) return;
    faulty.add(socket);
    refuse(socket, ...(parserFaults[error.code ?? ""] ?? [400, "The request is not valid HTTP/1.1."]));
  });
  server.on("connect", (incoming, socket) => refuse(socket, 405, "This server takes no CONNECT.", incoming));
  server.on("checkExpectation", (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { status, headers, body } = errorOf(417, "Expect takes 100-continue only.", incoming);
    outgoing.writeHead(status, { ...headers, "Content-Length": lengthOf(body), Connection: "close" }).end(body);
  });
  server.on("checkContinue", (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // Whose body is too long is told so before it is on its way.
    if (Number(incoming.headers["content-length"] ?? 0) <= bodyBytesMax) outgoing.writeContinue();
    server.emit("request", incoming, outgoing);
  });
}

function rawAnswer({ status, headers, body }: ReturnType<typeof errorAnswer>): string {
  const lines = Object.entries({ ...headers, "Content-Length": lengthOf(body), Connection: "close" });
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines.map(([name, value]) => `${name}: ${value}`)];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

function lengthOf(body: string | null): number {
  return Buffer.byteLength(body ?? "");
}
