import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import Database from "better-sqlite3";
import { type Greeting, serving, startUnder, tenantFolder } from "../support/program.ts";
import { crmIntegrations, type ServedInProcess, serveInProcess } from "../support/run-program.ts";
import { testTenant } from "../support/tenants.ts";

const one = testTenant(1);
const { path, file } = tenantFolder(one);

function post({ baseUrl }: Greeting, id: string, body: unknown): Promise<Response> {
  const headers = { "x-api-key": one.key, "content-type": "application/json", "x-request-id": id };
  return fetch(`${baseUrl}/tasks`, { method: "POST", headers, body: JSON.stringify(body) });
}

async function stop(server: ServedInProcess): Promise<void> {
  assert.equal((await server.stop()).code, 0);
}

/** Sends a request that fails and one that writes, and stops the server. */
async function served(t: Parameters<typeof serveInProcess>[0], data: string, ...args: string[]): Promise<void> {
  const program = await serveInProcess(t, "--data", data, "--fixtures", file, ...args);
  assert.equal((await post(program.greeting, "failed", { title: "Private title", status: "none" })).status, 400);
  assert.equal((await post(program.greeting, "written", { title: "Private title" })).status, 201);
  await stop(program);
}

const requests = (data: string, ...args: string[]) => crmIntegrations("requests", "--data", data, ...args);

test("requests prints one line per entry, oldest first, and filters by status", async (t) => {
  const data = path("printed");
  await served(t, data);
  const { stdout, code } = await requests(data);
  assert.equal(code, 0);
  const lines = stdout.trim().split("\n");
  const integration = `integration ${one.integration}`;
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? "", /^\d{4}-\S+Z 400 POST \/tasks \d+ ms {2}/);
  assert.ok(lines[0]?.endsWith(`${integration}  failed  validation_error (shape) /status not_an_option`), lines[0]);
  assert.ok(lines[1]?.endsWith(`${integration}  written  1 written`), lines[1]);
  const failed = await requests(data, "--status", "4xx", "--json", "--tenant", one.id);
  assert.deepEqual(JSON.parse(failed.stdout).problem.step, "shape");
  assert.equal((await requests(data, "--status", "500")).stdout, "");
  const wrong = await requests(data, "--status", "bad");
  assert.deepEqual([wrong.code, /must be a status such as 422/.test(wrong.stderr)], [2, true]);
});

test("requests.db belongs to its owner only, has no text of a body, and isn't in a backup", async (t) => {
  const data = path("private");
  await served(t, data);
  const log = path("private/requests.db");
  assert.equal(statSync(log).mode & 0o777, 0o600);
  assert.ok(!readFileSync(log).includes("Private title"));
  const copy = path("copy.db");
  assert.equal((await crmIntegrations("backup", "--data", data, copy)).code, 0);
  const tables = new Database(copy).prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all();
  assert.ok(!tables.includes("requests"));
});

test("requests --follow prints the requests that a running server appends", async (t) => {
  const data = path("followed");
  const program = await serveInProcess(t, "--data", data, "--fixtures", file);
  const follower = startUnder(t, [], "requests", "--data", data, "--follow");
  await post(program.greeting, "first", {});
  await follower.waitForOutput(/first .*required\n/);
  await post(program.greeting, "second", {});
  await follower.waitForOutput(/second .*required\n/);
  follower.child.kill("SIGINT");
  const { code, stdout } = await follower.ended;
  assert.deepEqual([code, stdout.split("\n").length], [0, 3]);
  await stop(program);
});

test("--request-log-days 0 creates no file, and the API returns the entries from memory", async (t) => {
  const data = path("memory");
  const program = await serveInProcess(t, "--data", data, "--fixtures", file, "--request-log-days", "0");
  await post(program.greeting, "failed", {});
  const found = await fetch(`${program.greeting.baseUrl}/requests/failed`, { headers: { "x-api-key": one.key } });
  assert.equal(found.status, 200);
  await stop(program);
  assert.ok(!existsSync(path("memory/requests.db")));
  assert.deepEqual(await requests(data), { code: 0, stdout: "", stderr: "" });
});

test("the server works with a damaged requests.db and replaces it, also after kill -9", async (t) => {
  const data = path("damaged");
  await served(t, data);
  writeFileSync(path("damaged/requests.db"), "damaged ".repeat(1_000));
  const program = await serving(t, "--data", data);
  const ids = async (id: string) => {
    const headers = { "x-api-key": one.key, "x-request-id": `find-${id}` };
    return (await fetch(`${program.greeting.baseUrl}/requests/${id}`, { headers })).status;
  };
  assert.equal((await post(program.greeting, "dropped", {})).status, 400);
  // The first read appends what waits, which fails and replaces the file.
  assert.equal(await ids("dropped"), 404);
  assert.equal((await post(program.greeting, "stored", {})).status, 400);
  assert.equal(await ids("stored"), 200);
  program.child.kill("SIGKILL");
  await program.ended;
  const again = await serveInProcess(t, "--data", data);
  assert.equal((await post(again.greeting, "later", {})).status, 400);
  await stop(again);
  const { stdout } = await requests(data, "--status", "4xx");
  assert.deepEqual(
    stdout
      .trim()
      .split("\n")
      .map((line) => line.split("  ")[2]),
    ["find-dropped", "stored", "later"],
  );
});

test("tenant remove removes the requests of the tenant", async (t) => {
  const data = path("removed");
  await served(t, data);
  const backup = path("tenant-backup.json");
  const removed = await crmIntegrations("tenant", "remove", one.id, "--data", data, "--yes", "--out", backup);
  assert.equal(removed.code, 0, removed.stderr);
  const count = new Database(path("removed/requests.db")).prepare("SELECT count(*) FROM requests").pluck().get();
  assert.equal(count, 0);
});
