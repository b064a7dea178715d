import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { DuckDBInstance } from "@duckdb/node-api";
import { syncToDuckDb } from "../../examples/duckdb/sync.ts";
import { type SyncState, syncBothWays } from "../../examples/two-way-sync/sync.ts";
import { startTestCrm } from "../../lib/testing/index.ts";
import { recipeCode } from "../support/recipes.ts";
import { run } from "../support/serve-demo.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const fixture = {
  tenant: { id: "01950000-0000-7000-9000-000000000000", name: "One" },
  users: [{ name: "Ana", email: "ana@one.example", role: "admin" }],
};

async function twoCrms(t: TestContext) {
  const [a, b] = await Promise.all([startTestCrm({ fixtures: fixture }), startTestCrm({ fixtures: fixture })]);
  t.after(() => Promise.all([a.close(), b.close()]));
  const state: SyncState = { watermarks: {}, pairs: [] };
  const sides = [{ name: "left", crm: a.client } as const, { name: "right", crm: b.client } as const] as const;
  return { a, b, state, sync: (saved = state) => syncBothWays(...sides, saved, () => {}) };
}

test("two-way-sync copies new and changed accounts in both directions, and then has nothing to do", async (t) => {
  const { a, b, state, sync } = await twoCrms(t);
  const made = await a.client.accounts.create({ name: "Left", phone: "1" });
  await b.client.accounts.create({ name: "Right" });
  assert.deepEqual(await sync(), { created: 2, changed: 0, archived: 0 });
  assert.deepEqual(await sync(), { created: 0, changed: 0, archived: 0 });
  const copy = state.pairs.find(({ left }) => left === made.id)?.right ?? "";
  b.clock.advance(1000);
  await b.client.accounts.update(copy, { phone: "2" });
  assert.deepEqual(await sync(), { created: 0, changed: 1, archived: 0 });
  assert.equal((await a.client.accounts.get(made.id)).phone, "2");
  a.clock.advance(5000);
  await a.client.accounts.archive(made.id);
  assert.deepEqual(await sync(), { created: 0, changed: 0, archived: 1 });
  assert.deepEqual(await sync(), { created: 0, changed: 0, archived: 0 });
});

test("two-way-sync keeps the newer of two changes to one account", async (t) => {
  const { a, b, state, sync } = await twoCrms(t);
  await a.client.accounts.create({ name: "Both" });
  await sync();
  const { left = "", right = "" } = state.pairs[0] ?? {};
  a.clock.advance(60_000);
  await a.client.accounts.update(left, { phone: "older" });
  b.clock.advance(120_000);
  await b.client.accounts.update(right, { phone: "newer" });
  await sync();
  const phones = [(await a.client.accounts.get(left)).phone, (await b.client.accounts.get(right)).phone];
  assert.deepEqual(phones, ["newer", "newer"]);
});

test("two-way-sync creates an account once, even if it crashes before it stores the pair", async (t) => {
  const { a, b, state, sync } = await twoCrms(t);
  await a.client.accounts.create({ name: "Once" });
  const lost: SyncState = { watermarks: {}, pairs: [] };
  await sync(lost);
  assert.deepEqual(await sync(state), { created: 1, changed: 0, archived: 0 });
  for (const { client } of [a, b]) {
    const names: string[] = [];
    for await (const { name } of client.accounts.list().records()) names.push(name);
    assert.deepEqual(names, ["Once"]);
  }
});

test("the command of two-way-sync prints what each run did", { timeout: 60_000 }, async () => {
  const { code, stdout, stderr } = await run(process.execPath, ["--import", "tsx", "examples/two-way-sync/main.ts"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(
    stdout,
    /^First run: 29 created, 0 changed, 0 archived\nAfter a change .*: 1 created, 1 changed, 0 archived\nWithout changes: 0 created, 0 changed, 0 archived\n$/,
  );
});

test("the sync to DuckDB writes each change once, and continues in a copy of the file", async (t) => {
  const crm = await startTestCrm({ fixtures: fixture });
  t.after(() => crm.close());
  const file = join(temporaryFolder(), "crm.duckdb");
  const { id } = await crm.client.accounts.create({ name: "Ana's café; drop table accounts" });
  const sync = async (path: string) => {
    const duckDb = await DuckDBInstance.create(path);
    const database = await duckDb.connect();
    const { accounts } = await syncToDuckDb(crm.client, database);
    const sql =
      "select id, record->>'name', record->>'phone', archived_at is not null from accounts order by updated_at";
    const rows = (await database.runAndReadAll(sql)).getRows();
    database.closeSync();
    duckDb.closeSync();
    return { accounts, rows };
  };
  const name = "Ana's café; drop table accounts";
  assert.deepEqual(await sync(file), { accounts: 1, rows: [[id, name, null, false]] });
  copyFileSync(file, `${file}-copy`);
  await crm.client.accounts.update(id, { phone: "1" });
  const other = await crm.client.accounts.create({ name: "Second" });
  await crm.client.accounts.archive(other.id);
  const expected = [
    [id, name, "1", false],
    [other.id, "Second", null, true],
  ];
  for (const path of [file, `${file}-copy`]) assert.deepEqual((await sync(path)).rows, expected, path);
  // The bound is inclusive, so the last record comes again.
  assert.deepEqual(await sync(file), { accounts: 1, rows: expected });
});

test("the command of the sync to DuckDB prints what each sync wrote, and a report", { timeout: 60_000 }, async () => {
  const { code, stdout, stderr } = await run(process.execPath, ["--import", "tsx", "examples/duckdb/main.ts"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(
    stdout,
    /^First sync: 30 accounts, .* 80 tasks, .*\nAfter a new task: .* 2 tasks, .*\nOpen opportunities:\n/,
  );
  assert.match(stdout, /^ {2}EUR: 10, 943100\.00$/m);
});

test("the page of the Express app signs its admin in to the console", { timeout: 60_000 }, async (t) => {
  const { url, stop } = await served(t, ["--import", "tsx", "examples/express-console/main.ts"]);
  assert.match(await (await fetch(url)).text(), /<a href="\/crm-console">/);
  const redirect = await fetch(`${url}crm-console`, { redirect: "manual" });
  const [, token] = /^http:.*\/crm\/console\/#.*?([\w.-]{20,})$/.exec(redirect.headers.get("location") ?? "") ?? [];
  const opened = await fetch(`${url}crm/console/session`, {
    method: "POST",
    headers: { origin: new URL(url).origin, "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  assert.equal(opened.status, 200, await opened.clone().text());
  const headers = { cookie: opened.headers.get("set-cookie")?.split(";")[0] ?? "" };
  const session = (await (await fetch(`${url}crm/console/session`, { headers })).json()) as { data: { user: object } };
  assert.equal((session.data.user as { name: string }).name, "Ingrid Solberg");
  assert.equal((await fetch(`${url}crm/console/api/v1/accounts?limit=1`, { headers })).status, 200);
  assert.equal((await fetch(`${url}crm/integrations/v1/accounts`, { headers })).status, 401);
  await stop();
});

test("the agent corrects its mistake, confirms the write and creates the task", { timeout: 60_000 }, async () => {
  const { code, stdout, stderr } = await run(process.execPath, ["--import", "tsx", "examples/agent/main.ts"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(
    stdout,
    /^confirmed: apply_changes \{"entity":"task",.*"title":"Call about the second café".*\nThe task is created\.\n$/,
  );
});

test("examples/website-form is the code of the recipe, and its command serves the form", {
  timeout: 60_000,
}, async (t) => {
  assert.equal(readFileSync("examples/website-form/form.mjs", "utf8"), recipeCode("website-form", "js"));
  const { url, stop } = await served(t, ["--import", "tsx", "examples/website-form/main.ts"]);
  const body = new URLSearchParams({ formId: "1", name: "Ana", email: "ana@site.example", phone: "", message: "Hi" });
  const response = await fetch(url, { method: "POST", body });
  assert.deepEqual([response.status, /Thank you/.test(await response.text())], [200, true]);
  await stop();
});

/** Starts a program that prints its address. */
async function served(t: TestContext, args: readonly string[]) {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  const closed = once(child, "close");
  const ended = closed.then(() => assert.fail("it ended before it served"));
  ended.catch(() => {});
  const [url] = (await Promise.race([once(createInterface(child.stdout), "line"), ended])) as [string];
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await closed;
  };
  return { url, stop };
}
