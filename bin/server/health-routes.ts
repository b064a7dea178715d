import type { IncomingMessage } from "node:http";
import { type Context, Hono } from "hono";
import { ApiError, commonHeaders, type RequestEnv, resolveRequestId, uuidV7 } from "#lib";
import type { FetchHandler } from "#lib/node";
import { commit, version } from "../cli/version.ts";
import type { Health } from "./health.ts";

const healthMethods = "GET, HEAD, OPTIONS";

/** Adds routes to the API: `/healthz`, `/readyz`, `/version`, a start page at `/`, and an icon. */
export function withHealthRoutes(
  handler: FetchHandler,
  { health, schema, ...links }: { readonly health: Health; readonly schema: number } & StartPageLinks,
): FetchHandler {
  const app: Hono<{ Bindings: RequestEnv }> = handler instanceof Hono ? handler : new Hono();
  const versions = JSON.stringify({ version, commit, node: process.versions.node, schema });
  const responses = {
    "/healthz": () => health.respond("/healthz"),
    "/readyz": () => health.respond("/readyz"),
    "/version": async () => ({ status: 200, body: versions }) as const,
  };
  for (const [path, respond] of Object.entries(responses))
    for (const written of [path, `${path}/`]) {
      app.get(written, async (c) => {
        const { status, body } = await respond();
        return c.body(body, status, { ...headersFor(c), "content-type": "application/json" });
      });
      app.all(written, rejectMethod);
    }
  app.get("/", (c) => c.html(startPage(links), 200, { ...headersFor(c), "content-security-policy": startPagePolicy }));
  app.get("/favicon.ico", (c) =>
    c.body(icon, 200, { "content-type": "image/svg+xml", "cache-control": "max-age=86400" }),
  );
  if (app !== handler) app.all("*", (c) => handler.fetch(c.req.raw, c.env));
  return app;
}

function headersFor({ req }: Context): Record<string, string> {
  return commonHeaders(resolveRequestId(req.header("x-request-id"), () => uuidV7(Date.now())));
}

function rejectMethod(c: Context): Response {
  const headers = { ...headersFor(c), allow: healthMethods };
  const { method } = c.req;
  if (method === "OPTIONS") return c.body(null, 204, headers);
  const error = new ApiError("bad_request", `Method ${method.slice(0, 20)} isn't allowed. Allowed: ${healthMethods}.`);
  return c.json(error, 405, headers);
}

/**
 * Returns the client address behind trusted proxies. Each proxy appends the address of its client, so only the last
 * `proxies` entries of X-Forwarded-For can be trusted.
 */
export function clientAddressReader(proxies: number): ((incoming: IncomingMessage) => string | undefined) | undefined {
  if (proxies === 0) return undefined;
  return ({ headers }) => headers["x-forwarded-for"]?.toString().split(",").at(-proxies)?.trim() || undefined;
}

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#2557a7"/><path d="M4 5h8M4 8h8M4 11h5" stroke="#fff" stroke-width="1.6"/></svg>`;
const startPagePolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; frame-ancestors 'none'";
/** The pages besides the API that the start page links to. */
type StartPageLinks = { readonly hasConsole: boolean; readonly hasDocs: boolean };

const startPage = ({ hasConsole, hasDocs }: StartPageLinks): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>crm-integrations</title>
<style>body { font: 16px/1.5 system-ui, sans-serif; max-width: 36em; margin: 4em auto; padding: 0 1em; color-scheme: light dark }</style>
</head>
<body>
<h1>crm-integrations ${version}</h1>
<p>The public HTTP/JSON API of a CRM.</p>
<ul>
<li><a href="integrations/v1/docs">API reference</a></li>
<li><a href="integrations/v1/openapi.json">OpenAPI description</a></li>
${hasDocs ? '<li><a href="docs/">Documentation</a></li>\n' : ""}${hasConsole ? '<li><a href="console/">Console</a></li>\n' : ""}<li><a href="healthz">Health</a> and <a href="readyz">readiness</a></li>
</ul>
</body>
</html>
`;
