import { adminUnauthorizedError } from "../auth/admin-token.ts";
import { methodNotAllowedError } from "../http/http-exchange.ts";
import { ApiError } from "../model/errors.ts";

/**
 * Rejects a request that a page of another origin may have sent. A write needs the header Origin. Both headers are set
 * by the browser, and a page can't change them.
 * @throws ApiError `403 bad_request`
 */
export function assertSameOrigin({ method, headers }: Request, origin: string): void {
  const isRead = method === "GET" || method === "HEAD";
  const [sentOrigin, site] = [headers.get("origin"), headers.get("sec-fetch-site")];
  const isOriginAllowed = sentOrigin === null ? isRead : sentOrigin === origin;
  const isSiteAllowed = site === null || site === "same-origin" || (isRead && site === "none");
  if (isOriginAllowed && isSiteAllowed) return;
  const message = `The console accepts only requests from its own pages. Their origin is ${origin}.`;
  throw new ApiError("bad_request", message, { status: 403, details: { reason: "other_origin" } });
}

/**
 * Header of each request of a page: the tenant and the user of the session that it was loaded for, as `TENANT/USER`.
 */
export const pageSessionHeader = "console-session";

/** @throws ApiError `405 bad_request` */
export function assertMethod(method: string, allowed: readonly string[]): void {
  if (!allowed.includes(method)) throw methodNotAllowedError(method, allowed);
}

/** Returns the `401 unauthorized` of a sign-in, or of a request without a session. */
export function unauthorized(message: string, reason?: string): ApiError {
  const error = adminUnauthorizedError(message, false);
  const { code, headers } = error;
  return reason === undefined ? error : new ApiError(code, message, { headers, details: { reason } });
}

/** Over https, the prefix makes browsers reject a cookie that another host or a page without https has set. */
function cookieName(origin: string): string {
  return origin.startsWith("https:") ? "__Host-crm_console" : "crm_console";
}

/** Returns the session in the cookies of a request. */
export function readSessionCookie({ headers }: Request, origin: string): string | undefined {
  const start = `${cookieName(origin)}=`;
  const pairs = (headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(start))?.slice(start.length);
}

/** Returns the header Set-Cookie that stores a session, or deletes it if `maxAgeSeconds` is 0. */
export function sessionCookie(session: string, origin: string, maxAgeSeconds: number): string {
  const attributes = ["HttpOnly", "SameSite=Strict", "Path=/", `Max-Age=${maxAgeSeconds}`];
  if (origin.startsWith("https:")) attributes.push("Secure");
  return [`${cookieName(origin)}=${session}`, ...attributes].join("; ");
}
