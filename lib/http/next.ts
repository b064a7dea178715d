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
    handler.fetch(withoutAcceptEncoding(request), {
      remoteAddress: options.remoteAddress?.(request),
      hostRequest: request,
    });
  return Object.fromEntries(methods.map((method) => [method, handle])) as ReturnType<typeof toNextHandlers>;
}

/** Next.js 16 drops the header `content-encoding` of a route handler, and compresses the response itself. */
function withoutAcceptEncoding(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.delete("accept-encoding");
  return new Request(request, { headers });
}
