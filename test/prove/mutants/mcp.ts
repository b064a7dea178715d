import { fault } from "./mutant.ts";

/** An MCP server that lets in what the API would reject, or writes what it shouldn't. */
export const mcp = [
  fault(
    "an MCP message without an API key",
    "lib/mcp/mcp-handler.ts",
    "runtime.concurrency.run(() => authenticateRequest(runtime, me[0] as Endpoint, received))",
    "runtime.concurrency.run(() => [authenticateRequest, me, received])",
    ["mcp-http"],
  ),
  fault(
    "an MCP message of any web page",
    "lib/mcp/origins.ts",
    "if (origin === null || isAllowed(origin, allowed)) return;",
    "if (origin !== undefined) return;",
    ["mcp-http"],
  ),
  fault("a preview that writes", "lib/mcp/tools.ts", "{ dryRun: true }", "{ dryRun: false }", ["mcp-tools"]),
  fault(
    "a change of which a part is written",
    "lib/mcp/tools.ts",
    "body: { operations, atomic: true }",
    "body: { operations, atomic: false }",
    ["mcp-tools"],
  ),
  fault(
    "an idempotency key that isn't sent",
    "lib/mcp/in-process-call.ts",
    'if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey);',
    "",
    ["mcp-tools"],
  ),
  fault(
    "a number that is too large and clears a field",
    "lib/mcp/create-mcp.ts",
    "!Number.isFinite(value)",
    "Number.isNaN(value)",
    ["mcp-tools"],
  ),
  fault(
    "a change with a long result that looks like an error",
    "lib/mcp/tool-result.ts",
    'if (!Array.isArray(data) || typeof data[0]?.index !== "number") return undefined;',
    "if (Array.isArray(data)) return undefined;",
    ["mcp-tools"],
  ),
];
