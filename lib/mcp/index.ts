export type { McpCall, McpCallOptions, McpResponse } from "./call.ts";
export { createMcp, type McpOptions } from "./create-mcp.ts";
export { type CallerRequest, inProcessCall } from "./in-process-call.ts";
export { type McpHandler, type McpHandlerOptions, mcpHandler } from "./mcp-handler.ts";
export { type McpConnection, type McpStreams, serveMcpStdio } from "./stdio.ts";
