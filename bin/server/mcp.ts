import type { Api } from "#lib";
import type { McpHandler } from "#lib/mcp";
import type { FetchHandler } from "#lib/node";
import { enumSetting, type SettingValues } from "../cli/setting.ts";

export const mcpSettings = {
  mcp: enumSetting(["on", "off"], "whether to serve the MCP server for agents at POST /mcp", "on"),
} as const;

type McpValues = SettingValues<typeof mcpSettings> & { readonly corsOrigin: readonly string[] };

/** Serves `/mcp` before any other path, because web pages need an origin of `--cors-origin` for it. */
export function withMcp(
  handler: FetchHandler,
  { mcp, corsOrigin: allowedOrigins }: McpValues,
  { app, currentApi }: { readonly app: FetchHandler; currentApi(): Api },
): FetchHandler {
  if (mcp === "off") return handler;
  const fetch: Api["fetch"] = async (request, env = {}) => app.fetch(request, env);
  let latest: { readonly api: Api; readonly handler: McpHandler } | undefined;
  const load = async (): Promise<McpHandler> => {
    // The SDK is loaded for the first request only.
    const { mcpHandler } = await import("#lib/mcp");
    const api = currentApi();
    if (latest?.api !== api) latest = { api, handler: mcpHandler(api, { allowedOrigins, fetch }) };
    return latest.handler;
  };
  return {
    fetch: async (request, env) =>
      isMcpPath(request.url) ? (await load()).fetch(request, env) : handler.fetch(request, env),
  };
}

function isMcpPath(url: string): boolean {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  return url.startsWith("/mcp", start) && /^\/?(?:[?#]|$)/.test(url.slice(start + "/mcp".length));
}
