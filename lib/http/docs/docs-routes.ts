import { type Context, Hono } from "hono";
import { ApiError } from "../../model/errors.ts";
import type { HttpResponse } from "../http-response.ts";
import type { RequestEnv } from "../request-env.ts";
import { readAsset } from "./assets.ts";
import { docsCsp, docsPage, findDocsFile } from "./reference.ts";

type Env = { Bindings: RequestEnv };

/** Returns the routes of the OpenAPI description and the reference page. They need no API key and have no rate limit. */
export function docsRoutes(
  route: (handler: (c: Context<Env>) => HttpResponse) => (c: Context<Env>) => Promise<Response>,
): Hono<Env> {
  const app = new Hono<Env>();
  app.get(
    "/openapi.json",
    route(() => respond("application/json", openApiBytes())),
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

let bytes: Uint8Array<ArrayBuffer> | undefined;

/** Returns the description with server URLs relative to its own URL, so that they are valid behind any gateway. */
function openApiBytes(): Uint8Array<ArrayBuffer> {
  const relative = (text: string) =>
    text.replaceAll('{"url":"/integrations/v1"', '{"url":"."').replaceAll('{"url":"/integrations"', '{"url":".."');
  bytes ??= new TextEncoder().encode(relative(openApiJson()));
  return bytes;
}

const pageHeaders = { "content-security-policy": docsCsp, "referrer-policy": "no-referrer" };
/** These files change only with the version of the package. */
const cacheHeaders = { "cache-control": "public, max-age=3600" };

function respond(type: string, body: HttpResponse["body"], headers: HttpResponse["headers"] = {}): HttpResponse {
  return { status: 200, headers: { "content-type": type, ...headers }, body };
}
