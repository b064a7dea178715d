import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate as turnOfLoop } from "node:timers/promises";
import { StorageUnavailable } from "../storage.ts";
import { errorAnswer, requestIdOf } from "./answer.ts";
import type { Api } from "./create-api.ts";
import { answerFaults } from "./faults.ts";
import { toNodeListener } from "./node.ts";

export type RunningServer = {
  /** `http://host:port`, with the port that was chosen where 0 was asked for. */
  readonly url: string;
  readonly server: Server;
  /**
   * Stops listening and answers every request begun; one that had come in unread, or still comes in on an open
   * connection, gets 503. After `drainMs` what is left is cut off.
   */
  close(): Promise<void>;
};

export type ServerOptions = {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly drainMs?: number;
  /** From the connection, or the answer before, to the last header: 10 s where it is absent. Then 408. */
  readonly headersTimeoutMs?: number;
  /** The same to the end of the body: 60 s where it is absent. Then 408. */
  readonly requestTimeoutMs?: number;
  /** How long a connection may stay open between two requests: 65 s where it is absent. */
  readonly keepAliveTimeoutMs?: number;
  /** How long nothing may move on a connection, such as an answer that is not read: 75 s where it is absent. */
  readonly stallTimeoutMs?: number;
  /** Carried by every answer, whatever it is, beside what the answer has itself. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** A client that needs longer for its headers or body holds a connection for nothing. */
const headersTimeoutDefault = 10_000;
const requestTimeoutDefault = 60_000;
const keepAliveTimeoutDefault = 65_000;
const stallTimeoutDefault = 75_000;
/** How often Node looks for clients that are too slow, at the least: the most that a timeout is late. */
const lookEveryMs = 1_000;
const drainMsDefault = 10_000;
/** So many connections wait to be accepted where the system lets them; it turns away, or forgets, who comes then. */
const waitingMax = 4_096;
/** After so many turns of the event loop without a new connection all that waited are accepted, one a turn, and read. */
const quietTurns = 3;
/** Who comes again and again does not hold up the stop. */
const turnsMax = waitingMax + 100;
/** How long an idle connection is kept when the server is told to stop: a request may be on its way. */
const lateMs = 50;

/** Serves the API on a port of its own. Whatever the client sends, what it gets back is the documented envelope. */
export function serve(api: Pick<Api, "answer" | "newRequestId">, options: ServerOptions): Promise<RunningServer> {
  const headersTimeout = options.headersTimeoutMs ?? headersTimeoutDefault;
  const timeouts = {
    headersTimeout,
    requestTimeout: options.requestTimeoutMs ?? requestTimeoutDefault,
    keepAliveTimeout: options.keepAliveTimeoutMs ?? keepAliveTimeoutDefault,
    connectionsCheckingInterval: Math.min(lookEveryMs, headersTimeout),
  };
  const listener = toNodeListener(api);
  let draining = false;
  const server = createServer({ ...timeouts, requireHostHeader: false }, (incoming, outgoing) => {
    if (draining) refuseLate(api, incoming, outgoing);
    else listener(incoming, outgoing);
  });
  // Who has said all and listens on is answered, however long that takes; Node would hang up at once.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.setTimeout(options.stallTimeoutMs ?? stallTimeoutDefault);
  const connections = new Set<Socket>();
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  const answering = new Map<Duplex, ServerResponse>();
  const begun = new WeakMap<Duplex, IncomingMessage>();
  const headers = new Map(Object.entries(options.headers ?? {}));
  server.prependListener("request", (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { socket } = incoming;
    if (headers.size > 0) outgoing.setHeaders(headers);
    begun.set(socket, incoming);
    answering.set(socket, outgoing);
    outgoing.once("close", () => {
      if (answering.get(socket) === outgoing) answering.delete(socket);
    });
  });
  answerFaults(server, { answering, begun }, api.newRequestId, options.headers);
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, waitingMax, () => {
      server.off("error", reject);
      const close = () => {
        draining = true;
        for (const outgoing of answering.values()) if (!outgoing.headersSent) outgoing.setHeader("Connection", "close");
        return drain(server, connections, options.drainMs ?? drainMsDefault);
      };
      resolve({ url: urlOf(server), server, close });
    });
  });
}

/** Who comes when the server is about to go is sent to the one that takes its place. */
function refuseLate(api: Pick<Api, "newRequestId">, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const requestId = requestIdOf(incoming.headers["x-request-id"], api.newRequestId);
  const { status, headers, body } = errorAnswer(
    new StorageUnavailable("The server is stopping."),
    requestId,
    incoming.method,
  );
  incoming.resume();
  outgoing.writeHead(status, { ...headers, Connection: "close" }).end(body);
}

async function drain(server: Server, connections: ReadonlySet<Socket>, drainMs: number): Promise<void> {
  await readWhatCameIn(server, drainMs);
  await new Promise<void>((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), drainMs);
    // Only to listen no more: what node:http does beside that would cut off connections that seem idle.
    NetServer.prototype.close.call(server, () => {
      clearTimeout(force);
      resolve();
    });
    setTimeout(
      () => {
        server.close();
        // These are not idle to node:http, which waits for their first request.
        for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
      },
      Math.min(lateMs, drainMs),
    );
  });
}

/** To close at once would cut off connections that were not accepted yet, and requests that nobody has read. */
async function readWhatCameIn(server: Server, withinMs: number): Promise<void> {
  let [quiet, isLate] = [0, false];
  const late = setTimeout(() => {
    isLate = true;
  }, withinMs);
  const onConnection = (): void => {
    quiet = 0;
  };
  server.on("connection", onConnection);
  for (let turn = 0; turn < turnsMax && quiet < quietTurns && !isLate; turn++) {
    quiet++;
    await turnOfLoop();
  }
  clearTimeout(late);
  server.off("connection", onConnection);
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
