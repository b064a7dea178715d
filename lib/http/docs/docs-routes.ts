import { type Context, Hono } from "hono";
import { ApiError } from "../../model/errors.ts";
import type { AppOptions } from "../app-options.ts";
import type { HttpResponse } from "../http-response.ts";
import { basePath, rootPath } from "../paths.ts";
import type { RequestEnv } from "../request-env.ts";
import { readAsset } from "./assets.ts";
import { docsCsp, docsPage, findDocsFile } from "./reference.ts";

type Env = { Bindings: RequestEnv };

/** Returns the routes of the OpenAPI description and the reference page. They need no API key and have no rate limit. */
export function docsRoutes(
  route: (handler: (c: Context<Env>) => HttpResponse) => (c: Context<Env>) => Promise<Response>,
  { forwardedPrefix = false }: AppOptions,
): Hono<Env> {
  const app = new Hono<Env>();
  app.get(
    "/openapi.json",
    route(({ req }) => {
      const prefix = forwardedPrefix ? parsePrefix(req.raw.headers.get("x-forwarded-prefix")) : undefined;
      return respond(
        "application/json",
        prefix === undefined ? relativeOpenApi() : openApiWithServers(prefix + basePath, prefix + rootPath),
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

/** Returns the OpenAPI 3.1 description as JSON. */
export function openApiJson(): string {
  return JSON.stringify(JSON.parse(new TextDecoder().decode(readAsset("openapi.json"))));
}

let relative: Uint8Array<ArrayBuffer> | undefined;

/** Returns the description with server URLs relative to its own URL, so that they are valid behind any gateway. */
function relativeOpenApi(): Uint8Array<ArrayBuffer> {
  relative ??= openApiWithServers(".", "..");
  return relative;
}

function openApiWithServers(base: string, root: string): Uint8Array<ArrayBuffer> {
  const json = openApiJson()
    .replaceAll(`{"url":"${basePath}"`, `{"url":"${base}"`)
    .replaceAll(`{"url":"${rootPath}"`, `{"url":"${root}"`);
  return new TextEncoder().encode(json);
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
