import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import { uuidV7 } from "../model/uuid.ts";
import { StorageUnavailable } from "../storage/storage.ts";
import { handleConnectionErrors, type LastResponses } from "./connection-errors.ts";
import { errorResponse, resolveRequestId } from "./http-exchange.ts";
import { type FetchHandler, type NodeOptions, toNodeListener } from "./node.ts";

export type RunningServer = {
  /** `http://host:port`, with the actual port if 0 was given. */
  readonly url: string;
  readonly server: Server;
  /** Stops listening and waits for open requests. New requests on open connections get 503. After `drainMs`, open requests are aborted. */
  close(): Promise<void>;
};

export type ServerOptions = NodeOptions & {
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  /** How long `close` waits for open requests. The default is 10 s. */
  readonly drainMs?: number;
  /** Time to receive the headers of a request, 10 s by default. Then 408. */
  readonly headersTimeoutMs?: number;
  /** Time to receive a whole request, 60 s by default. Then 408. */
  readonly requestTimeoutMs?: number;
  /** How long a connection may be idle between two requests, 65 s by default. */
  readonly keepAliveTimeoutMs?: number;
  /** How long a connection may make no progress, for example because a response isn't read, 75 s by default. */
  readonly stallTimeoutMs?: number;
  /** Headers to add to every response. */
  readonly headers?: Readonly<Record<string, string>>;
};

const defaultHeadersTimeoutMs = 10_000;
const defaultRequestTimeoutMs = 60_000;
const defaultKeepAliveTimeoutMs = 65_000;
const defaultStallTimeoutMs = 75_000;
/** How often Node checks the timeouts, at most. */
const timeoutCheckMs = 1_000;
const defaultDrainMs = 10_000;
/** Length of the queue of connections that wait to be accepted. The operating system may lower it. */
const maxBacklog = 4_096;
/** How long `close` waits for a request that may be on its way on an idle connection. */
const idleGraceMs = 50;

/** Listens on a port and serves the API, or an app of `api.app()`. Requests that aren't valid HTTP get the documented error envelope too. */
export function serve(handler: FetchHandler, options: ServerOptions): Promise<RunningServer> {
  const { newRequestId = () => uuidV7(Date.now()), drainMs = defaultDrainMs } = options;
  const headersTimeout = options.headersTimeoutMs ?? defaultHeadersTimeoutMs;
  const timeouts = {
    headersTimeout,
    requestTimeout: options.requestTimeoutMs ?? defaultRequestTimeoutMs,
    keepAliveTimeout: options.keepAliveTimeoutMs ?? defaultKeepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(timeoutCheckMs, headersTimeout),
  };
  const stopping = new AbortController();
  const listener = toNodeListener(handler, { ...options, newRequestId, stopping: stopping.signal });
  const rejecting = rejectWhileDraining(newRequestId);
  let draining = false;
  const server = createServer({ ...timeouts, requireHostHeader: false }, (incoming, outgoing) =>
    (draining ? rejecting : listener)(incoming, outgoing),
  );
  // Respond to clients that half-close the connection.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.setTimeout(options.stallTimeoutMs ?? defaultStallTimeoutMs);
  const connections = new Set<Socket>();
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  const lastResponses: LastResponses = new WeakMap();
  const headers = new Map(Object.entries(options.headers ?? {}));
  server.prependListener("request", ({ socket }: IncomingMessage, outgoing: ServerResponse) => {
    if (headers.size > 0) outgoing.setHeaders(headers);
    lastResponses.set(socket, outgoing);
  });
  handleConnectionErrors(server, lastResponses, newRequestId, options.headers);
  const close = (): Promise<void> => {
    draining = true;
    stopping.abort();
    for (const socket of connections) {
      const outgoing = lastResponses.get(socket);
      if (outgoing?.headersSent === false) outgoing.setHeader("Connection", "close");
    }
    return drain(server, connections, drainMs);
  };
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, maxBacklog, () => {
      server.off("error", reject);
      resolve({ url: urlOf(server), server, close });
    });
  });
}

/** Returns a listener that rejects requests which arrive while the server stops. Clients retry and reach its successor. */
function rejectWhileDraining(newRequestId: () => string): RequestListener {
  return (incoming, outgoing) => {
    const requestId = resolveRequestId(incoming.headers["x-request-id"], newRequestId);
    const error = new StorageUnavailable("The server is stopping.");
    const { status, headers, body } = errorResponse(error, requestId, incoming.method);
    incoming.resume();
    outgoing.writeHead(status, { ...headers, Connection: "close" }).end(body);
  };
}

/** Accepts the connections that wait in the queue of the system. libuv accepts one in each turn of the event loop. */
async function acceptWaiting(server: Server): Promise<void> {
  let accepted = 0;
  server.on("connection", () => accepted++);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  // The current turn may already have looked for connections.
  await turn();
  for (let before = -1; before < accepted && accepted < maxBacklog; ) {
    before = accepted;
    await turn();
  }
}

async function drain(server: Server, connections: ReadonlySet<Socket>, drainMs: number): Promise<void> {
  await acceptWaiting(server);
  return new Promise((resolve) => {
    const abort = setTimeout(() => server.closeAllConnections(), drainMs);
    const closeIdle = (): void => {
      server.closeIdleConnections();
      // Node doesn't count connections without a first request as idle.
      for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
    };
    // After a stall, timers run before the requests that have arrived are read. An immediate runs after that.
    const grace = setTimeout(() => setImmediate(closeIdle), Math.min(idleGraceMs, drainMs));
    // In Node, the method of http.Server closes idle connections at once. In Bun, its servers are no net.Server.
    const { close } = server instanceof NetServer ? NetServer.prototype : server;
    close.call(server, () => {
      clearTimeout(abort);
      clearTimeout(grace);
      resolve();
    });
  });
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
