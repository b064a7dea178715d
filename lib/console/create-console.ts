import type { AdminClaims } from "../auth/admin-token.ts";
import { alreadySent, crmApp } from "../http/app.ts";
import { countAuthFailure } from "../http/authenticate-request.ts";
import { readBody } from "../http/body.ts";
import { type Api, internals } from "../http/create-api.ts";
import type { RequestEnv } from "../http/http-exchange.ts";
import {
  commonHeaders,
  errorResponse,
  type HttpResponse,
  resolveRequestId,
  toApiError,
} from "../http/http-exchange.ts";
import { OverloadedError } from "../http/load-limits.ts";
import { rootPath } from "../http/paths.ts";
import { formatDateTime } from "../model/date-time.ts";
import { ApiError } from "../model/errors.ts";
import { scopes } from "../model/integration.ts";
import { type RandomBytes, uuidV7 } from "../model/uuid.ts";
import { accessEndpoints } from "./access-endpoints.ts";
import { sessionMs } from "./console-access.ts";
import { passkeysOf } from "./passkeys.ts";
import {
  assertMethod,
  assertSameOrigin,
  pageSessionHeader,
  readSessionCookie,
  sessionCookie,
} from "./request-checks.ts";
import { type SessionClaims, signInOf } from "./sign-in.ts";
import { type ConsoleAssets, readConsoleAssets, staticFiles } from "./static-files.ts";
import type { WebAuthn } from "./webauthn.ts";

export type ConsoleOptions = {
  readonly api: Pick<Api, "endpoints" | typeof internals>;
  /** The default is `readConsoleAssets()`. */
  readonly assets?: ConsoleAssets;
  /**
   * Origin of the console in the browser, such as `https://crm.example.com`. Set it if a proxy changes the scheme or
   * the host. The default is the origin of each request.
   */
  readonly origin?: string | undefined;
  /**
   * A secret for signatures that isn't in the database, the same on all servers. Without it, anyone who can read the
   * database or a backup can sign in.
   */
  readonly secret?: Uint8Array | undefined;
  /**
   * Returns the command that prints a sign-in link for an origin, such as `crm-integrations console`. The sign-in page
   * shows it to anyone, so it must contain no secret. By default, the page shows no command.
   */
  readonly signInCommand?: ((origin: string) => string | undefined) | undefined;
  /**
   * Imports the package `@simplewebauthn/server`, so that admins can sign in with passkeys:
   * `() => import("@simplewebauthn/server")`. By default, the console has no passkeys.
   */
  readonly webauthn?: (() => Promise<WebAuthn>) | undefined;
  /** The default is the random generator of the system. */
  readonly random?: RandomBytes;
};

export type Console = {
  /** The adapters of the library pass on only this path and the paths below it. */
  readonly servedPath: "/console";
  /** Handles a request for `/console` or a path below it, with any prefix. Never rejects. */
  fetch(request: Request, env?: RequestEnv): Promise<Response>;
  /**
   * Returns a link that signs an admin in once, within 10 minutes. Treat it like a password.
   * @param origin where browsers reach the console, such as `https://crm.example.com`, followed by its prefix, if any
   * @throws ApiError `403 insufficient_scope` if the user isn't an active admin of the tenant
   */
  createSignInLink(user: AdminClaims, origin: string): Promise<string>;
};

const consolePath = "/console";
const apiPath = `${consolePath}/api/`;
const apiMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Creates the console of an API: its files, its sessions, and the API for signed-in admins. */
export function createConsole(options: ConsoleOptions): Console {
  const { [internals]: runtime, endpoints } = options.api;
  const { storage, requests } = runtime;
  const passkeys = passkeysOf(runtime, options);
  const signIn = signInOf(runtime, options, passkeys);
  const findFile = staticFiles(() => options.assets ?? readConsoleAssets());
  const verify = async (authorization: string | null): Promise<AdminClaims> => {
    const { tenantId, userId } = await signIn.verifySession(authorization?.replace(/^Bearer /, ""));
    return { tenantId, userId };
  };
  // The same endpoints with another authentication: the session takes the place of API keys and admin tokens.
  const app = crmApp({
    endpoints: [...endpoints, ...accessEndpoints(signIn, passkeys)],
    runtime: {
      ...runtime,
      source: "console",
      authenticate: async ({ headers }) => ({ ...(await verify(headers.get("authorization"))), scopes }),
      verifyAdmin: verify,
    },
  });

  /** Calls the API with the session as the only credential. */
  async function callApi(request: Request, url: URL, env: RequestEnv, origin: string): Promise<HttpResponse> {
    assertMethod(request.method, apiMethods);
    const headers = new Headers(request.headers);
    for (const name of ["authorization", "cookie", "x-api-key"]) headers.delete(name);
    await assertPageSession(request, origin);
    const session = readSessionCookie(request, origin);
    if (session !== undefined) headers.set("authorization", `Bearer ${session}`);
    const target = url.origin + rootPath + withoutPrefix(url).slice(apiPath.length - 1) + url.search;
    const sent = Promise.withResolvers<HttpResponse>();
    const transport = { readBody: () => env.transport?.readBody() ?? readBody(request), send: sent.resolve };
    await app.fetch(new Request(target, { method: request.method, headers }), { ...env, transport });
    return sent.promise;
  }

  /**
   * Rejects a request of a page that was loaded for another session: after a sign-in in another tab, the page would
   * show one tenant and write to another.
   * @throws ApiError `409 conflict`
   */
  async function assertPageSession(request: Request, origin: string): Promise<void> {
    const pageSession = request.headers.get(pageSessionHeader);
    if (pageSession === null) return;
    // Without a session, the request gets its own error.
    const claims = await signIn.verifySession(readSessionCookie(request, origin)).catch(() => undefined);
    if (claims === undefined || pageSession === `${claims.tenantId}/${claims.userId}`) return;
    const session = await readSession(claims, origin);
    const message = `You signed in to ${session.tenant?.name} as ${session.user?.name} in another tab. Reload the page.`;
    throw new ApiError("conflict", message, { details: { reason: "other_session", session } });
  }

  async function readSession({ tenantId, userId, sessionId, expiresAt }: SessionClaims, origin: string) {
    const [tenant, user] = await Promise.all([
      storage.get(tenantId, "tenant", tenantId),
      storage.get(tenantId, "user", userId),
    ]);
    return {
      id: sessionId,
      user: user && { id: user.id, name: user.name, email: user.email },
      tenant: tenant && { id: tenant.id, name: tenant.name },
      expiresAt: formatDateTime(expiresAt),
      passkeys: passkeys.isAvailable(origin),
    };
  }

  async function describeSession(claims: SessionClaims, origin: string): Promise<HttpResponse> {
    return jsonResponse(await readSession(claims, origin));
  }

  /** Responds with the options of `navigator.credentials`, for a new passkey only with a session. */
  async function handlePasskeyOptions(request: Request, origin: string): Promise<HttpResponse> {
    assertMethod(request.method, ["POST"]);
    await assertPageSession(request, origin);
    const claims = await signIn.verifySession(readSessionCookie(request, origin)).catch(() => undefined);
    const { tenant, user } = claims === undefined ? {} : await readSession(claims, origin);
    const owner = claims &&
      tenant &&
      user && { ...claims, userName: user.name, email: user.email, tenantName: tenant.name };
    return jsonResponse(await passkeys.createOptions(origin, owner));
  }

  async function handleSession(request: Request, env: RequestEnv, origin: string): Promise<HttpResponse> {
    assertMethod(request.method, ["GET", "HEAD", "POST", "DELETE"]);
    if (request.method !== "POST") await assertPageSession(request, origin);
    if (request.method === "DELETE") {
      await signIn.endSession(readSessionCookie(request, origin));
      return { status: 204, headers: { "set-cookie": sessionCookie("", origin, 0) }, body: null };
    }
    const fail = (error: unknown): never =>
      throwWithSignInDetails(error, {
        signInCommand: options.signInCommand?.(origin),
        passkeys: passkeys.isAvailable(origin) || undefined,
      });
    if (request.method !== "POST")
      return describeSession(await signIn.verifySession(readSessionCookie(request, origin)).catch(fail), origin);
    const opened = await signIn
      .open(request, env, origin)
      .catch((error) => countAuthFailure(runtime, env, error))
      .catch(fail);
    const { session, claims } = opened;
    const response = await describeSession(claims, origin);
    const cookie = sessionCookie(session, origin, sessionMs / 1000);
    return { ...response, headers: { ...response.headers, "set-cookie": cookie } };
  }

  async function respond(request: Request, env: RequestEnv): Promise<HttpResponse> {
    const url = new URL(request.url);
    const pathname = withoutPrefix(url);
    const origin = options.origin ?? url.origin;
    const isOptions = pathname === `${consolePath}/passkey-options`;
    if (isOptions || pathname === `${consolePath}/session` || pathname.startsWith(apiPath)) {
      assertSameOrigin(request, origin);
      if (pathname.startsWith(apiPath)) return callApi(request, url, env, origin);
      return requests.run(() =>
        isOptions ? handlePasskeyOptions(request, origin) : handleSession(request, env, origin),
      );
    }
    // The page loads its files by relative URLs, so it has exactly one URL.
    const file =
      pathname === consolePath
        ? { status: 308, headers: { location: "console/" }, body: null }
        : pathname.startsWith(`${consolePath}/`) &&
          findFile(pathname.slice(consolePath.length + 1) || "index.html", request.headers);
    if (!file) throw new ApiError("not_found", "Unknown path.");
    assertMethod(request.method, ["GET", "HEAD"]);
    return file;
  }

  return {
    servedPath: consolePath,
    async fetch(request, env = {}) {
      const requestId = resolveRequestId(request.headers.get("x-request-id"), () => uuidV7(Date.now()));
      let response: HttpResponse;
      try {
        response = await respond(request, env);
      } catch (error) {
        if (toApiError(error, requestId).status >= 500 && !(error instanceof OverloadedError))
          runtime.report(error, requestId);
        response = errorResponse(error, requestId, request.method);
      }
      const headers = { ...commonHeaders(requestId), ...response.headers };
      const body = request.method === "HEAD" ? null : response.body;
      if (env.transport === undefined) return new Response(body, { status: response.status, headers });
      env.transport.send({ status: response.status, headers, body });
      return alreadySent;
    },
    async createSignInLink(user, origin) {
      return `${origin}${consolePath}/#token=${await signIn.createToken(user)}`;
    },
  };
}

/** Throws an error again. A 401 gets the command that prints a sign-in link, and whether there are passkeys. */
function throwWithSignInDetails(
  error: unknown,
  details: { readonly signInCommand: string | undefined; readonly passkeys: true | undefined },
): never {
  const isEmpty = Object.values(details).every((value) => value === undefined);
  if (!(error instanceof ApiError) || error.status !== 401 || isEmpty) throw error;
  throw new ApiError(error.code, error.message, { headers: error.headers, details: { ...error.details, ...details } });
}

function jsonResponse(data: unknown): HttpResponse {
  return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify({ data }) };
}

/** Returns the path from `/console` on. The part before it belongs to a host or a gateway. */
function withoutPrefix({ pathname }: URL): string {
  return pathname.slice(Math.max(pathname.search(/\/console(?:\/|$)/), 0));
}
