import { type Context, Hono } from "hono";
import { LRUCache } from "lru-cache";
import { looksLikeApiKey } from "../../auth/authenticate-key.ts";
import { ApiError } from "../../model/errors.ts";
import type { AppOptions, HttpResponse, RequestEnv } from "../http-exchange.ts";
import type { RequestTrace } from "../http-runtime.ts";
import { type JsonParts, joinWithPrefix, readDescription, toJsonParts, toRelativeJson } from "./description.ts";
import { docsCsp, docsPage, findDocsFile } from "./reference.ts";

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
      if (!hasCredentials(headers)) {
        const { text, parts } = generalDescription();
        const body = prefix === undefined ? text : textsByPrefix.memo(prefix, { context: () => parts });
        return respond("application/json", body);
      }
      const response = await describeTenant(c, trace);
      const { body } = response;
      if (prefix === undefined || typeof body !== "string" || response.status !== 200) return response;
      const name = `${prefix} ${response.headers.etag}`;
      return { ...response, body: textsByPrefix.memo(name, { context: () => toJsonParts(body) }) };
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

type General = { readonly text: Uint8Array<ArrayBuffer>; readonly parts: JsonParts };
let general: General | undefined;

/** Returns the description without the fields of a tenant. Its server URLs are relative. */
function generalDescription(): General {
  if (general !== undefined) return general;
  const json = toRelativeJson(readDescription());
  general = { text: new TextEncoder().encode(json), parts: toJsonParts(json) };
  return general;
}

/** The latest descriptions by the prefix of the gateway and the ETag of the tenant's description. Each takes about 0.6 MB. */
const textsByPrefix = new LRUCache<string, Uint8Array<ArrayBuffer>, () => JsonParts>({
  max: 100,
  memoMethod: (name, _, { context }) => joinWithPrefix(context(), name.split(" ")[0] as string),
});

/** Whether the request has an API key, even an invalid one. Other schemes of Authorization can belong to a gateway. */
function hasCredentials(headers: Headers): boolean {
  const authorization = headers.get("authorization");
  if (headers.has("x-api-key") || authorization === null) return headers.has("x-api-key");
  const isOtherScheme = /^(?!Bearer )\S+ +\S/i.test(authorization.trim());
  return !isOtherScheme || looksLikeApiKey(authorization);
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
