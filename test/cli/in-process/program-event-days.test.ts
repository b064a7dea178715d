import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { sqliteStorage } from "../../../lib/storage/sqlite/index.ts";
import { openCrm } from "../../support/crm.ts";
import { crmIntegrations, runProgram, serveInProcess } from "../../support/run-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();
const [minuteMs, dayMs] = [60_000, 86_400_000];

/** Serves in this process. The sweep of each minute runs if the test moves the mocked timer. */
async function serve(t: TestContext, ...args: string[]) {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { greeting, stop } = await serveInProcess(t, ...args);
  return {
    greeting,
    async stop(): Promise<void> {
      assert.equal((await stop()).code, 0);
      t.mock.timers.reset();
    },
  };
}

test("a server keeps events for --event-days", async (t) => {
  mkdirSync(`${folder}/data`, { mode: 0o700 });
  const file = `${folder}/data/crm.db`;
  // The clock of this API is in the past.
  const crm = await openCrm({}, { storage: sqliteStorage({ file }) });
  await crm.create("/tasks", { title: "Old" });
  const [tenant] = await crm.storage.listTenants();
  await crm.api.close();
  const numberOfEvents = async (): Promise<number> => {
    const storage = sqliteStorage({ file });
    const events = await storage.list(tenant?.id ?? "", "event", {});
    await storage.close();
    return events.length;
  };
  for (const [days, number] of [
    [3650, 1],
    [1, 0],
  ] as const) {
    const { stop } = await serve(t, "--data", `${folder}/data`, "--event-days", `${days}`);
    t.mock.timers.tick(minuteMs);
    await stop();
    assert.equal(await numberOfEvents(), number, `${days}`);
    const { code, stdout } = await crmIntegrations("check", "--full", "--data", `${folder}/data`);
    assert.equal(code, 0, stdout);
  }
});

test("a server with fixtures in memory keeps events for --event-days of its test clock", {
  timeout: 60_000,
}, async (t) => {
  const { greeting, stop } = await serve(t, "--fixtures", "demo", "--event-days", "2");
  const { url, baseUrl, keys } = greeting;
  const headers = { "x-api-key": keys[0]?.key ?? "", "content-type": "application/json" };
  const post = async (target: string, body: object) =>
    assert.ok((await fetch(target, { method: "POST", headers, body: JSON.stringify(body) })).ok);
  const titles = async () => {
    const { data } = (await (await fetch(`${baseUrl}/events`, { headers })).json()) as { data: readonly unknown[] };
    return data.length;
  };
  await post(`${baseUrl}/tasks`, { title: "Old" });
  await post(`${url}/__fixtures/clock`, { advanceMs: 3 * dayMs });
  await post(`${baseUrl}/tasks`, { title: "New" });
  assert.equal(await titles(), 2);
  t.mock.timers.tick(minuteMs);
  while ((await titles()) !== 1);
  await stop();
});

test("--event-days is a number from 1 to 3650", async () => {
  for (const days of ["0", "3651", "many"]) {
    const { code, stderr } = await runProgram(["serve", "--fixtures", "demo", "--event-days", days], { env: {} });
    assert.deepEqual([code, stderr.includes("must be an integer from 1 to 3650.")], [2, true], stderr);
  }
});
