import assert from "node:assert/strict";
import { test } from "node:test";
import { type Entity, entityKinds, entityModels } from "../../../lib/model/entities.ts";
import { scopes } from "../../../lib/model/integration.ts";
import { searchResultKinds } from "../../../lib/model/search-words.ts";
import { one, openCrm, two, unknown } from "../../support/crm.ts";
import { mcpClient, type ToolResult } from "../../support/mcp.ts";

/** The host takes the scopes from a header, so that a caller can have any of them. */
const { api } = await openCrm(
  {},
  {
    authenticate: ({ headers }) => ({
      tenantId: one.id,
      scopes: (headers.get("x-scopes") ?? "").split(" ").filter(Boolean),
    }),
    rateLimiter: { take: async () => ({ accepted: true, limit: 1, remaining: 1, resetMs: 0, retryMs: 0 }) },
  },
);
const withScopes = (...given: readonly string[]) => mcpClient(api, { "x-scopes": given.join(" ") });
const records: Readonly<Record<Entity, string>> = one;
const foreign: Readonly<Record<Entity, string>> = two;

/** Calls of each tool for an entity, and the action of the scope that they need. */
function callsFor(entity: Entity, id: string): readonly (readonly [tool: string, input: object, action: string])[] {
  const operations = [{ op: "update", id, data: {} }];
  return [
    ["describe_crm", { entity }, "read"],
    ...((searchResultKinds as readonly Entity[]).includes(entity)
      ? [["search_records", { query: "a", entity }, "read"] as const]
      : []),
    ["list_records", { entity }, "read"],
    ["get_records", { entity, ids: [id] }, "read"],
    ...(entity === "opportunity" || entity === "task" ? [["list_transitions", { entity, id }, "read"] as const] : []),
    ["list_events", { entity }, "read"],
    ["record_history", { entity, id }, "read"],
    ["preview_changes", { entity, operations }, "write"],
    ["apply_changes", { entity, operations }, "write"],
    ["archive_records", { entity, ids: [id] }, "write"],
  ];
}

const codeOf = ({ structuredContent }: ToolResult): unknown =>
  (structuredContent.error as { code?: string } | undefined)?.code;

for (const entity of entityKinds) {
  const calls = callsFor(entity, records[entity]);
  test(`each tool for ${entity} succeeds with its scope, and is rejected with all others`, async () => {
    // The events of an entity without its scope are only left out.
    for (const [tool, input, action] of calls.filter(([tool]) => tool !== "list_events")) {
      const scope = `${entityModels[entity].plural}:${action}`;
      const others = scopes.filter((each) => each !== scope);
      const rejected = await withScopes(...others).call(tool, input);
      assert.equal(codeOf(rejected), "insufficient_scope", `${tool} without ${scope}`);
      const accepted = await withScopes(scope).call(tool, input);
      assert.equal(accepted.isError, undefined, `${tool}: ${accepted.content[0]?.text}`);
    }
  });
}

test("list_events returns only events of the entities whose read scope the API key has", async () => {
  await withScopes("tasks:write").call("apply_changes", {
    entity: "task",
    operations: [{ op: "update", id: one.task, data: { title: "Call again" } }],
  });
  const recordIds = async (...granted: readonly string[]): Promise<readonly unknown[]> => {
    const { structuredContent } = await withScopes(...granted).call("list_events", {});
    return (structuredContent as { data: readonly { recordId: string }[] }).data.map(({ recordId }) => recordId);
  };
  assert.ok((await recordIds("tasks:read")).includes(one.task));
  assert.ok(!(await recordIds("accounts:read")).includes(one.task));
  assert.equal(codeOf(await withScopes("tasks:write").call("list_events", {})), "insufficient_scope");
});

test("tools/list offers only the tools and entities of the scopes", async () => {
  for (const entity of entityKinds)
    for (const action of ["read", "write"]) {
      const tools = await withScopes(`${entityModels[entity].plural}:${action}`).listTools();
      const expected = callsFor(entity, unknown).flatMap(([tool, , needed]) => (needed === action ? tool : []));
      const names = tools.map(({ name }) => name);
      assert.deepEqual(names, action === "read" ? expected : ["describe_crm", ...expected]);
      const listed = tools.flatMap(({ inputSchema: { properties } }) => properties.entity?.enum ?? []);
      assert.deepEqual([...new Set(listed)], [entity]);
    }
  assert.deepEqual(
    (await withScopes().listTools()).map(({ name }) => name),
    ["describe_crm"],
  );
});

test("describe_crm without an entity shows only what the scopes allow", async () => {
  const keysWith = async (...given: string[]) =>
    Object.keys((await withScopes(...given).call("describe_crm", {})).structuredContent.data as object);
  assert.deepEqual(await keysWith(), ["scopes", "serverTime"]);
  assert.deepEqual(await keysWith("users:read"), ["users", "scopes", "serverTime"]);
  assert.deepEqual(await keysWith("pipelines:read"), ["pipelines", "scopes", "serverTime"]);
});

test("an ID of another tenant gives what an unknown ID gives", async () => {
  const all = withScopes(...scopes);
  for (const entity of entityKinds) {
    const ofUnknown = callsFor(entity, unknown);
    for (const [index, [tool, input]] of callsFor(entity, foreign[entity]).entries()) {
      const [, same = {}] = ofUnknown[index] ?? [];
      const [found, expected] = [await all.call(tool, input), await all.call(tool, same)];
      const text = found.content[0]?.text.replaceAll(foreign[entity], unknown);
      assert.equal(text, expected.content[0]?.text, tool);
    }
  }
});
