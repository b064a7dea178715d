import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { serving } from "../support/program.ts";
import { crmIntegrations } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("serve --search off removes the index, and --search on builds it again", async (t) => {
  const data = join(temporaryFolder(), "data");
  const demo = new URL("../../fixtures/demo.json", import.meta.url).pathname;
  assert.equal((await crmIntegrations("load", demo, "--data", data)).code, 0);
  const key = JSON.parse(
    (await crmIntegrations("key", "create", "--integration", "ERP sync", "--json", "--data", data)).stdout,
  ).key;
  const search = async (...args: readonly string[]) => {
    const { greeting, child, ended } = await serving(t, "--data", data, ...args);
    const response = await fetch(`${greeting.baseUrl}/search?q=lindqvist`, { headers: { "x-api-key": key } });
    const { data: found = [] } = (await response.json()) as { data?: readonly unknown[] };
    child.kill("SIGTERM");
    const { stderr } = await ended;
    return [response.status, found.length > 0, stderr.includes("building the search index")];
  };
  assert.deepEqual(await search(), [200, true, false]);
  assert.deepEqual(await search("--search", "off"), [404, false, false]);
  assert.deepEqual(await search(), [404, false, false]);
  assert.deepEqual(await search("--search", "on"), [200, true, true]);
  assert.deepEqual(await search("--search", "on"), [200, true, false]);
});

test("serve rejects --search for a database in memory", async () => {
  const { code, stderr } = await crmIntegrations("serve", "--fixtures", "demo", "--search", "off");
  assert.equal(code, 2);
  assert.match(stderr, /--search requires a stored database\. Set --data or --database\./);
});
