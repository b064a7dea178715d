import type { ServerResponse } from "node:http";
import { type FetchHandler, type MountedRequest } from "./node.ts";
/** What body parsers leave behind. Many hosts keep the raw bytes in `rawBody`. */
type ParsedRequest = MountedRequest & {
    readonly body?: unknown;
    rawBody?: unknown;
};
type Middleware = (request: ParsedRequest, response: ServerResponse, next: (error?: unknown) => void) => void;
/**
 * Returns a middleware for Express 4 and 5 and compatible frameworks. It works under any mount path and passes requests
 * for other paths on. A body that a parser has read is taken from `rawBody` or `body`.
 */
export declare function toExpressMiddleware(handler: FetchHandler): Middleware;
export {};
