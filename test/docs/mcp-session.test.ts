import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { FixtureApi, readTenantFiles, TestClock } from "../../lib/testing/index.ts";
import { mcpClient } from "../support/mcp.ts";

const page = readFileSync(new URL("../../docs/guides/mcp.md", import.meta.url), "utf8");
const section = page.slice(page.indexOf("## A session"), page.indexOf("## Limits"));

test("the calls of the guide to MCP return the results that it shows", async (t) => {
  const blocks = [...section.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, json = ""]) => JSON.parse(json));
  assert.ok(blocks.length >= 8, `${blocks.length} blocks`);
  const crm = await FixtureApi.open({ files: readTenantFiles("demo"), clock: new TestClock(), rateLimit: 300 });
  t.after(() => crm.close());
  // Requests that have an ID don't use up an ID of records.
  const { call } = mcpClient(crm.api, { "x-api-key": crm.loaded[0]?.keys[0]?.key ?? "", "x-request-id": "docs" });
  for (let index = 0; index < blocks.length; index += 2) {
    const { name, arguments: input } = blocks[index];
    const { isError, structuredContent } = await call(name, input);
    assert.deepEqual({ ...(isError && { isError }), structuredContent }, blocks[index + 1], name);
  }
});
