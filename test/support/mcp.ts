import assert from "node:assert/strict";
import { type McpHandlerOptions, mcpHandler } from "../../lib/mcp/index.ts";
import type { ShownError } from "./responses.ts";

/** The response to a request to /mcp. `body` is the parsed JSON, undefined if it is empty. */
export type McpExchange = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: { readonly result?: unknown; readonly error?: { readonly code: number; readonly message: string } };
};

/** The result of a tool. */
export type ToolResult = {
  readonly isError?: true;
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent: Readonly<Record<string, unknown>>;
};

/** Returns the error envelope in the result of a tool. */
export function toolError({ isError, structuredContent }: ToolResult): ShownError {
  assert.equal(isError, true);
  return structuredContent.error as ShownError;
}

export type McpClient = ReturnType<typeof mcpClient>;

/** Sends requests of the revision 2025-11-25 to the MCP server of an API, without a connection. */
export function mcpClient(
  api: Parameters<typeof mcpHandler>[0],
  credentials: Readonly<Record<string, string>>,
  options: McpHandlerOptions = {},
) {
  const { fetch } = mcpHandler(api, options);
  const post = async (body: string, headers: Readonly<Record<string, string>> = {}, method = "POST") => {
    const accept = "application/json, text/event-stream";
    const sent = { "content-type": "application/json", accept, ...credentials, ...headers };
    const init = method === "GET" || method === "HEAD" ? {} : { body };
    const response = await fetch(new Request("http://crm.test/mcp", { method, headers: sent, ...init }));
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: text === "" ? {} : JSON.parse(text) };
  };
  let lastId = 0;
  const request = (method: string, params: unknown = {}, headers = {}): Promise<McpExchange> =>
    post(JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method, params }), headers);
  return {
    post,
    request,
    /** Calls a tool. Throws if the server returns a JSON-RPC error. */
    async call(name: string, input: unknown): Promise<ToolResult> {
      const { body, text } = await request("tools/call", { name, arguments: input });
      if (body.result === undefined) throw new Error(text);
      return body.result as ToolResult;
    },
    async listTools(): Promise<readonly ListedTool[]> {
      const { body, text } = await request("tools/list");
      if (body.result === undefined) throw new Error(text);
      return (body.result as { readonly tools: readonly ListedTool[] }).tools;
    },
  };
}

export type ListedTool = {
  readonly name: string;
  readonly description: string;
  readonly annotations: Readonly<Record<string, boolean>>;
  readonly inputSchema: { readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] }>> };
};
