import { type Server } from "node:http";
import { type FetchHandler, type NodeOptions } from "./node.ts";
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
/** Serves the API, or an app of `crmApp`, on a port of its own. Every response uses the documented envelope, also for requests that aren't valid HTTP. */
export declare function serve(handler: FetchHandler, options: ServerOptions): Promise<RunningServer>;
