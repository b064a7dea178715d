import { ApiError } from "../model/errors.ts";

/**
 * Rejects a request of a web page that isn't allowed. A page could otherwise reach a server in the private network of
 * its visitor, whose name it has rebound to that server.
 * @throws ApiError `403 bad_request`
 */
export function assertOrigin(origin: string | null, allowed: readonly string[]): void {
  if (origin === null || isAllowed(origin, allowed)) return;
  const message = `Requests from web pages of ${origin.slice(0, 100)} aren't allowed.`;
  throw new ApiError("bad_request", message, { status: 403 });
}

/** Returns the CORS headers for a page that is allowed, and none for any other request. */
export function corsHeaders({ method, headers }: Request, allowed: readonly string[]): Record<string, string> {
  const origin = headers.get("origin");
  if (origin === null || !isAllowed(origin, allowed)) return {};
  const shared = {
    "access-control-allow-origin": allowed.includes("*") ? "*" : origin,
    "access-control-expose-headers": "WWW-Authenticate, X-Request-Id",
    vary: "Origin",
  };
  if (method !== "OPTIONS") return shared;
  return {
    ...shared,
    "access-control-allow-headers": headers.get("access-control-request-headers") ?? "",
    "access-control-allow-methods": "POST",
    "access-control-max-age": "600",
  };
}

function isAllowed(origin: string, allowed: readonly string[]): boolean {
  return allowed.includes("*") || allowed.includes(origin);
}
