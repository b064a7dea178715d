import type { Api } from "./create-api.ts";

/** What a route handler is given; Next adds `nextUrl`. */
type NextRequest = Request & { readonly nextUrl?: { readonly basePath: string } };
type Handler = (request: NextRequest) => Promise<Response>;

export type NextOptions = {
  /** `basePath` of next.config: Next cuts it off the path that a route handler sees. */
  readonly basePath?: string;
  /** The client's address, by which failed authentication is limited; what to trust is for the host to know. */
  readonly remoteAddress?: (request: Request) => string | undefined;
};

/** The handlers of a route `…/integrations/[...path]/route.ts` of Next's app router. */
export function crmHandlers(
  api: Pick<Api, "fetch">,
  options: NextOptions = {},
): Readonly<Record<"GET" | "POST" | "PATCH" | "DELETE", Handler>> {
  const handler: Handler = (request) => {
    const transport = { remoteAddress: options.remoteAddress?.(request), prefix: cutOff(request, options.basePath) };
    return api.fetch(request, { ...transport, incoming: request });
  };
  return { GET: handler, POST: handler, PATCH: handler, DELETE: handler };
}

/** The base path, where the address that Next shows has lost it. */
function cutOff({ url, nextUrl }: NextRequest, basePath = nextUrl?.basePath ?? ""): string {
  return new URL(url).pathname.startsWith(`${basePath}/`) ? "" : basePath;
}
