import { faults } from "./mutant.ts";

/** An MCP server that lets in what the API would reject, or writes what it shouldn't. */
export const mcp = [
  ...faults("lib/mcp/mcp-handler.ts", "mcp-http", [
    [
      "an MCP message without an API key",
      "runtime.concurrency.run(() => authenticateRequest(runtime, me[0] as Endpoint, received))",
      "runtime.concurrency.run(() => [authenticateRequest, me, received])",
    ],
  ]),
  ...faults("lib/mcp/origins.ts", "mcp-http", [
    [
      "an MCP message of any web page",
      "if (origin === null || isAllowed(origin, allowed)) return;",
      "if (origin !== undefined) return;",
    ],
  ]),
  ...faults("lib/mcp/tools.ts", "mcp-tools", [
    ["a preview that writes", "{ dryRun: true }", "{ dryRun: false }"],
    [
      "a change of which a part is written",
      "body: { operations, atomic: true }",
      "body: { operations, atomic: false }",
    ],
  ]),
  ...faults("lib/mcp/in-process-call.ts", "mcp-tools", [
    [
      "an idempotency key that isn't sent",
      'if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey);',
      "",
    ],
  ]),
  ...faults("lib/mcp/create-mcp.ts", "mcp-tools", [
    ["a number that is too large and clears a field", "!Number.isFinite(value)", "Number.isNaN(value)"],
  ]),
  ...faults("lib/mcp/tool-result.ts", "mcp-tools", [
    [
      "a change with a long result that looks like an error",
      'if (!Array.isArray(data) || typeof data[0]?.index !== "number") return undefined;',
      "if (Array.isArray(data)) return undefined;",
    ],
  ]),
];
