import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { one } from "../../support/crm.ts";
import { mcpClient } from "../../support/mcp.ts";
import { figures, seed, size } from "../size.ts";
import { watchedCrm } from "./observed-crm.ts";

const { api, clock } = await watchedCrm();
const { post } = mcpClient(api, { "x-api-key": one.key });

const nested = (depth: number): unknown => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
const hostile = fc.oneof(
  fc.constantFrom<unknown>(
    ...[
      null,
      true,
      0,
      -1,
      0.5,
      1e21,
      2 ** 53,
      "",
      " ",
      "\0",
      "\ud800",
      "__proto__",
      "constructor",
      "../..",
      "a/b",
      "%00",
    ],
    ...[[], {}, [null], [[]], { entity: "task" }, nested(20), nested(200), "x".repeat(70_000), "é".repeat(300_000)],
    "x".repeat(1_000_000),
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: "binary", maxLength: 50 }),
);
const operation = { op: "update", id: one.task, data: { title: "x" } };
const inputs: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  describe_crm: { entity: "opportunity", for: "create", stageId: one.stage, status: "open" },
  search_records: { query: "a", entity: "contact", limit: 5 },
  list_records: { entity: "task", filter: { status: "pending" }, updatedSince: "2026-01-01T00:00:00Z", limit: 5 },
  get_records: { entity: "task", ids: [one.task] },
  list_transitions: { entity: "task", id: one.task },
  list_events: { entity: "task", types: ["task.created"], updatedSince: "2026-01-01T00:00:00Z", limit: 5 },
  record_history: { entity: "task", id: one.task },
  preview_changes: { entity: "task", operations: [operation] },
  apply_changes: { entity: "task", operations: [operation], idempotencyKey: "k" },
  archive_records: { entity: "task", ids: [one.archivedTask] },
};

/** Inputs of a tool, of which some members are hostile. */
const calls = fc.constantFrom(...Object.entries(inputs)).chain(([name, input]) =>
  fc
    .tuple(fc.dictionary(fc.constantFrom(...Object.keys(input), "data", "__proto__"), hostile, { maxKeys: 3 }), hostile)
    .map(([members, one]) => ({
      name,
      arguments: { ...input, ...members, ...(members.data ? { operations: [one] } : {}) },
    })),
);
const params = fc.oneof(
  { weight: 6, arbitrary: calls as fc.Arbitrary<unknown> },
  { weight: 1, arbitrary: fc.record({ name: hostile, arguments: hostile }) },
  { weight: 1, arbitrary: hostile },
);
const methods = fc.oneof(
  { weight: 8, arbitrary: fc.constant<unknown>("tools/call") },
  fc.constantFrom<unknown>(
    ...["tools/list", "initialize", "ping", "resources/list", "server/discover", "subscriptions/listen"],
    ...["notifications/cancelled", "logging/setLevel", "completion/complete", "tasks/get"],
  ),
  hostile,
);
const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Messages of both generations of the protocol, and texts that are no message. */
const bodies = fc
  .record({
    method: methods,
    params,
    id: fc.oneof({ weight: 9, arbitrary: fc.constant<unknown>(1) }, hostile),
    isModern: fc.boolean(),
    cutAt: fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, fc.integer({ min: 0, max: 200 })),
  })
  .map(({ method, params, id, isModern, cutAt }) => {
    const isObject = typeof params === "object" && params !== null && !Array.isArray(params);
    const sent = isModern && isObject ? { ...params, _meta: envelope } : params;
    const text = JSON.stringify({ jsonrpc: "2.0", id, method, params: sent });
    const name = isObject && "name" in params && typeof params.name === "string" ? params.name : "x";
    const header = (value: unknown) => (/^[ -~]{1,100}$/.test(String(value)) ? String(value).trim() || "x" : "x");
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": header(method), "mcp-name": header(name) };
    return { body: cutAt === null ? text : text.slice(0, cutAt), headers: isModern ? headers : {} };
  });

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const usedBytes = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};
const maxGrowthBytes = 64 * 1024 * 1024;

test("hostile messages get a response below 500 that is JSON, and take no memory that stays", async (t) => {
  const counted = { messages: 0, results: 0, "errors of tools": 0, "errors of JSON-RPC": 0, rejected: 0 };
  const before = usedBytes();
  await fc.assert(
    fc.asyncProperty(bodies, async ({ body, headers }) => {
      clock.advance(1_000);
      const response = await post(body, headers);
      assert.ok(response.status < 500, `${response.status} ${response.text.slice(0, 500)} to ${body.slice(0, 500)}`);
      // A response repeats the ID and the method of its message.
      assert.ok(response.text.length < 3 * body.length + 400_000, `${response.text.length} characters`);
      const { result, error } = response.body;
      assert.doesNotMatch(response.text, /node_modules|\.ts:\d/);
      assert.notEqual(result?.structuredContent?.error?.code, "internal_error", response.text);
      counted.messages++;
      if (result !== undefined) counted[result.isError ? "errors of tools" : "results"]++;
      else counted[typeof error?.code === "number" ? "errors of JSON-RPC" : "rejected"]++;
    }),
    { seed, numRuns: size(1_000, 20_000) },
  );
  const grown = usedBytes() - before;
  assert.ok(grown < maxGrowthBytes, `the heap has grown by ${grown} bytes`);
  assert.ok(counted.results > 20 && counted["errors of tools"] > 100, JSON.stringify(counted));
  figures(t, "bad-input-mcp", counted);
});
