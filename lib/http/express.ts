import type { ServerResponse } from "node:http";
import { type FetchHandler, type MountedRequest, toNodeListener } from "./node.ts";
import { isApiPath } from "./paths.ts";

/** The members that body parsers set. Many hosts set `rawBody` to the raw bytes. */
type ParsedRequest = MountedRequest & {
  /** The path that the middleware is mounted at. */
  readonly baseUrl?: string;
  readonly body?: unknown;
  rawBody?: unknown;
};
type Middleware = (request: ParsedRequest, response: ServerResponse, next: (error?: unknown) => void) => void;

/**
 * Returns a middleware for Express 4 and 5 and compatible frameworks. It works under any mount path and passes requests
 * for other paths on. A body that a parser has read is taken from `rawBody` or `body`.
 */
export function toExpressMiddleware(handler: FetchHandler): Middleware {
  const listener = toNodeListener(handler);
  return (request, response, next) => {
    if (!isServed(handler, request)) return next();
    try {
      if (request.readableDidRead) request.rawBody = parsedBody(request);
    } catch (error) {
      return next(error);
    }
    listener(request, response);
  };
}

/** Whether the handler serves the path of a request. The mount path can end with the path that the handler serves. */
function isServed({ servedPath }: FetchHandler, { originalUrl, url, baseUrl = "" }: ParsedRequest): boolean {
  const [path = ""] = (originalUrl ?? url ?? "").split("?");
  if (servedPath === undefined) return isApiPath(path);
  const prefix = baseUrl.endsWith(servedPath) ? baseUrl.slice(0, -servedPath.length) : baseUrl;
  return `${path}/`.startsWith(`${prefix}${servedPath}/`);
}

/** Returns the bytes of a body that a parser has read. Converts a parsed value to JSON again. @throws TypeError without `body` and `rawBody` */
function parsedBody({ rawBody, body }: ParsedRequest): Buffer {
  for (const bytes of [rawBody, body]) {
    if (typeof bytes === "string") return Buffer.from(bytes);
    if (bytes instanceof Uint8Array) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  if (body !== undefined) return Buffer.from(JSON.stringify(body, preserveInfinity));
  throw new TypeError(
    "A middleware before the CRM has read the body and set neither req.body nor req.rawBody. Mount the CRM before it.",
  );
}

/** Keeps a number that is too large for a double. `JSON.stringify` would turn it into null, which clears a field. */
function preserveInfinity(_: string, value: unknown): unknown {
  if (value === Number.POSITIVE_INFINITY) return (JSON as RawJson).rawJSON("1e999");
  return value === Number.NEGATIVE_INFINITY ? (JSON as RawJson).rawJSON("-1e999") : value;
}
type RawJson = typeof JSON & { rawJSON(text: string): unknown };
