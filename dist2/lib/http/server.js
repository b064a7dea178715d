import { createServer } from "node:http";
import { Server as NetServer } from "node:net";
import { uuidV7 } from "../ids.js";
import { StorageUnavailable } from "../storage.js";
import { handleConnectionErrors } from "./connection-errors.js";
import { errorResponse, resolveRequestId } from "./http-response.js";
import { toNodeListener } from "./node.js";
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
/** Serves the API, or an app of `crmApp`, on a port of its own. Every response uses the documented envelope, also for requests that aren't valid HTTP. */
export function serve(handler, options) {
    const { newRequestId = () => uuidV7(Date.now()), drainMs = defaultDrainMs } = options;
    const headersTimeout = options.headersTimeoutMs ?? defaultHeadersTimeoutMs;
    const timeouts = {
        headersTimeout,
        requestTimeout: options.requestTimeoutMs ?? defaultRequestTimeoutMs,
        keepAliveTimeout: options.keepAliveTimeoutMs ?? defaultKeepAliveTimeoutMs,
        connectionsCheckingInterval: Math.min(timeoutCheckMs, headersTimeout),
    };
    const listener = toNodeListener(handler, { ...options, newRequestId });
    const rejecting = rejectWhileDraining(newRequestId);
    let draining = false;
    const server = createServer({ ...timeouts, requireHostHeader: false }, (incoming, outgoing) => (draining ? rejecting : listener)(incoming, outgoing));
    // Respond to clients that half-close the connection.
    Object.assign(server, { httpAllowHalfOpen: true });
    server.setTimeout(options.stallTimeoutMs ?? defaultStallTimeoutMs);
    const connections = new Set();
    server.on("connection", (socket) => {
        connections.add(socket);
        socket.once("close", () => connections.delete(socket));
    });
    const openResponses = new Map();
    const lastRequest = new WeakMap();
    const headers = new Map(Object.entries(options.headers ?? {}));
    server.prependListener("request", (incoming, outgoing) => {
        const { socket } = incoming;
        if (headers.size > 0)
            outgoing.setHeaders(headers);
        lastRequest.set(socket, incoming);
        openResponses.set(socket, outgoing);
        outgoing.once("close", () => {
            if (openResponses.get(socket) === outgoing)
                openResponses.delete(socket);
        });
    });
    handleConnectionErrors(server, { openResponses, lastRequest }, newRequestId, options.headers);
    const close = () => {
        draining = true;
        for (const outgoing of openResponses.values())
            if (!outgoing.headersSent)
                outgoing.setHeader("Connection", "close");
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
function rejectWhileDraining(newRequestId) {
    return (incoming, outgoing) => {
        const requestId = resolveRequestId(incoming.headers["x-request-id"], newRequestId);
        const error = new StorageUnavailable("The server is stopping.");
        const { status, headers, body } = errorResponse(error, requestId, incoming.method);
        incoming.resume();
        outgoing.writeHead(status, { ...headers, Connection: "close" }).end(body);
    };
}
function drain(server, connections, drainMs) {
    return new Promise((resolve) => {
        const abort = setTimeout(() => server.closeAllConnections(), drainMs);
        const closeIdle = () => {
            server.closeIdleConnections();
            // Node doesn't count connections without a first request as idle.
            for (const socket of connections)
                if (socket.bytesRead === 0)
                    socket.destroy();
        };
        const grace = setTimeout(closeIdle, Math.min(idleGraceMs, drainMs));
        // The method of http.Server would close idle connections at once.
        NetServer.prototype.close.call(server, () => {
            clearTimeout(abort);
            clearTimeout(grace);
            resolve();
        });
    });
}
function urlOf(server) {
    const { address, family, port } = server.address();
    return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
