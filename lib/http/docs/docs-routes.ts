import { type Context, Hono } from "hono";
import { ApiError } from "../../model/errors.ts";
import type { AppOptions } from "../app-options.ts";
import type { HttpResponse } from "../http-response.ts";
import { basePath, rootPath } from "../paths.ts";
import type { RequestEnv } from "../request-env.ts";
import type { RequestTrace } from "../request-log.ts";
import { docsCsp, docsPage, findDocsFile } from "./reference.ts";
import { openApiJson } from "./tenant-description.ts";

type Env = { Bindings: RequestEnv };
type Handler = (c: Context<Env>, trace: RequestTrace) => HttpResponse | Promise<HttpResponse>;

/**
 * Returns the routes of the OpenAPI description and the reference page. They need no API key and have no rate limit.
 * @param describeTenant returns the description for the tenant of the API key in the request
 */
export function docsRoutes(
  route: (handler: Handler) => (c: Context<Env>) => Promise<Response>,
  { forwardedPrefix = false }: AppOptions,
  describeTenant: Handler,
): Hono<Env> {
  const app = new Hono<Env>();
  app.get(
    "/openapi.json",
    route(async (c, trace) => {
      const { headers } = c.req.raw;
      const prefix = forwardedPrefix ? parsePrefix(headers.get("x-forwarded-prefix")) : undefined;
      const [base, root] = prefix === undefined ? [".", ".."] : [prefix + basePath, prefix + rootPath];
      if (hasCredentials(headers)) {
        const response = await describeTenant(c, trace);
        return typeof response.body === "string"
          ? { ...response, body: withServers(response.body, base, root) }
          : response;
      }
      return respond(
        "application/json",
        prefix === undefined ? relativeOpenApi() : withServers(openApiJson(), base, root),
      );
    }),
  );
  app.get(
    "/docs",
    route(() => respond(docsPage.type, docsPage.body, pageHeaders)),
  );
  // The page loads its files by relative URLs, so it has exactly one URL.
  app.get(
    "/docs/",
    route(() => ({ status: 308, headers: { location: "../docs" }, body: null })),
  );
  app.get(
    "/docs/:file",
    route(({ req }) => {
      const file = findDocsFile(req.param("file") ?? "");
      if (file === undefined) throw new ApiError("not_found", "Unknown path.");
      return respond(file.type, file.body, cacheHeaders);
    }),
  );
  return app;
}

let relative: Uint8Array<ArrayBuffer> | undefined;

/** Returns the description with server URLs relative to its own URL, so that they are valid behind any gateway. */
function relativeOpenApi(): Uint8Array<ArrayBuffer> {
  relative ??= new TextEncoder().encode(withServers(openApiJson(), ".", ".."));
  return relative;
}

function withServers(json: string, base: string, root: string): string {
  return json
    .replaceAll(`{"url":"${basePath}"`, `{"url":"${base}"`)
    .replaceAll(`{"url":"${rootPath}"`, `{"url":"${root}"`);
}

/** Whether the request has an API key. Other schemes of Authorization can belong to a gateway. */
function hasCredentials(headers: Headers): boolean {
  return headers.has("x-api-key") || /^Bearer /i.test(headers.get("authorization") ?? "");
}

/** Returns the path in X-Forwarded-Prefix. Each proxy appends its prefix. Undefined if the header is absent or isn't a plain path. */
function parsePrefix(header: string | null): string | undefined {
  const prefix = (header ?? "")
    .split(",")
    .map((part) => part.trim().replace(/\/$/, ""))
    .join("");
  return /^(?:\/(?!\.)[\w.~-]{1,100}){1,10}$/.test(prefix) ? prefix : undefined;
}

const pageHeaders = { "content-security-policy": docsCsp, "referrer-policy": "no-referrer" };
/** These files change only with the version of the package. */
const cacheHeaders = { "cache-control": "public, max-age=3600" };

function respond(type: string, body: HttpResponse["body"], headers: HttpResponse["headers"] = {}): HttpResponse {
  return { status: 200, headers: { "content-type": type, ...headers }, body };
}
