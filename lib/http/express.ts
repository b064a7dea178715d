import type { ServerResponse } from "node:http";
import type { Api } from "./create-api.ts";
import { type MountedMessage, toNodeListener } from "./node.ts";
import { isOurs } from "./router.ts";

/** What parsers leave behind; `rawBody` is what many hosts keep the bytes in. */
type ParsedMessage = MountedMessage & { readonly body?: unknown; rawBody?: unknown };
type Middleware = (request: ParsedMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/**
 * The API as a middleware of Express 4 and 5, or of what speaks their language, under any path. What is not the
 * API's is passed on. It reads bodies itself; one that a parser has read before is taken from `rawBody` or `body`.
 */
export function toExpressMiddleware(api: Pick<Api, "answer" | "newRequestId">): Middleware {
  const listener = toNodeListener(api);
  return (request, response, next) => {
    const [path = ""] = (request.originalUrl ?? request.url ?? "").split("?");
    if (!isOurs(path)) return next();
    try {
      if (request.readableDidRead) request.rawBody = bytesOf(request);
    } catch (error) {
      return next(error);
    }
    listener(request, response);
  };
}

/** A number too large for one is refused by the API; as JSON has it by itself, it would be null and clear a field. */
function keptInfinite(_: string, value: unknown): unknown {
  if (value === Number.POSITIVE_INFINITY) return (JSON as RawJson).rawJSON("1e999");
  return value === Number.NEGATIVE_INFINITY ? (JSON as RawJson).rawJSON("-1e999") : value;
}
type RawJson = typeof JSON & { rawJSON(text: string): unknown };

/** The body that a parser has read, in JSON again where only its value is left. @throws TypeError where nothing is */
function bytesOf({ rawBody, body }: ParsedMessage): Buffer {
  for (const kept of [rawBody, body]) {
    if (typeof kept === "string") return Buffer.from(kept);
    if (kept instanceof Uint8Array) return Buffer.from(kept.buffer, kept.byteOffset, kept.byteLength);
  }
  if (body !== undefined) return Buffer.from(JSON.stringify(body, keptInfinite));
  throw new TypeError(
    "A middleware before the CRM's has read the body and left neither req.body nor req.rawBody. Mount the CRM before it.",
  );
}
