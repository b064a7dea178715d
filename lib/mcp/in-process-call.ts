import { alreadySent } from "../http/app.ts";
import type { Api } from "../http/create-api.ts";
import type { HttpResponse, RequestEnv } from "../http/http-exchange.ts";
import { basePath } from "../http/paths.ts";
import type { McpCall } from "./call.ts";

/** Headers of the caller's request that belong to its body or its response, or would change the call. */
const ownHeaders = [
  ...["accept", "accept-encoding", "content-encoding", "content-length", "content-type", "transfer-encoding"],
  ...["idempotency-key", "if-match", "if-none-match", "origin", "prefer"],
];

/** The request of a caller, whose credentials the calls have. */
export type CallerRequest = { readonly request: Request; readonly env?: RequestEnv; readonly requestId?: string };

/**
 * Returns a function that calls an API in this process, with the credentials and the request ID of a caller's request.
 * Without it, the calls have no credentials, for an API with its own `authenticate`.
 */
export function inProcessCall(
  api: Pick<Api, "fetch">,
  { request, env = {}, requestId }: CallerRequest = { request: new Request("http://localhost/mcp") },
): McpCall {
  const { origin } = new URL(request.url);
  const shared = new Headers(request.headers);
  for (const name of ownHeaders) shared.delete(name);
  if (requestId !== undefined) shared.set("x-request-id", requestId);
  return async (method, path, { query = {}, body, dryRun, idempotencyKey } = {}) => {
    const headers = new Headers(shared);
    if (body !== undefined) headers.set("content-type", "application/json");
    if (dryRun) headers.set("prefer", "dry-run");
    if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey);
    const bytes = Buffer.from(body === undefined ? "" : JSON.stringify(body));
    let sent: HttpResponse | undefined;
    // Faster than to read the body from a Response.
    const transport = {
      readBody: () => bytes,
      send: (response: HttpResponse) => {
        sent = response;
      },
    };
    const url = `${origin}${basePath}${path}${toQueryString(query)}`;
    const response = await api.fetch(new Request(url, { method, headers }), { ...env, source: "mcp", transport });
    if (sent !== undefined) return { status: sent.status, body: JSON.parse(textOf(sent.body)) };
    if (response === alreadySent) throw new TypeError("The API sent no response.");
    return { status: response.status, body: await response.json() };
  };
}

function textOf(body: HttpResponse["body"]): string {
  return typeof body === "string" ? body : new TextDecoder().decode(body ?? undefined);
}

function toQueryString(query: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.append(name, String(value));
  return parameters.size === 0 ? "" : `?${parameters}`;
}
