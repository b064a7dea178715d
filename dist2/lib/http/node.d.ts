import type { IncomingMessage, RequestListener } from "node:http";
import type { RequestEnv } from "./request-env.ts";
/** What can be served: the API, or the app that `crmApp` returns. */
export type FetchHandler = {
    fetch(request: Request, env: RequestEnv): Response | Promise<Response>;
};
export type NodeOptions = {
    /** Returns the client address, for example behind trusted proxies. The default is `request.ip` or the socket's address. */
    readonly remoteAddress?: (incoming: IncomingMessage) => string | undefined;
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
export declare function toNodeListener(handler: FetchHandler, options?: NodeOptions): RequestListener;
