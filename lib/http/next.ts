import type { FetchHandler } from "./node.ts";

export type NextOptions = {
  /** Returns the client address, by which failed authentication is limited. Only the host knows which headers to trust. */
  readonly remoteAddress?: (request: Request) => string | undefined;
};

/** PUT is rejected in the documented envelope. Without a handler, Next.js would send an empty 405. */
const methods = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Returns the route handlers for `app/…/integrations/[...path]/route.ts` of the Next.js app router. */
export function toNextHandlers(
  handler: FetchHandler,
  options: NextOptions = {},
): Readonly<Record<(typeof methods)[number], (request: Request) => Promise<Response>>> {
  const handle = async (request: Request): Promise<Response> =>
    decompress(await handler.fetch(request, { remoteAddress: options.remoteAddress?.(request), hostRequest: request }));
  return Object.fromEntries(methods.map((method) => [method, handle])) as ReturnType<typeof toNextHandlers>;
}

/** Next.js 16 drops the header `content-encoding` of a route handler, and compresses the response itself. */
function decompress(response: Response): Response {
  const format = response.headers.get("content-encoding");
  if (format === null || response.body === null) return response;
  const headers = new Headers(response.headers);
  headers.delete("content-encoding");
  headers.delete("content-length");
  const body = response.body.pipeThrough(new DecompressionStream(format as "gzip" | "deflate"));
  return new Response(body, { status: response.status, headers });
}
