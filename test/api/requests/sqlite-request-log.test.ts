import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { memoryRequestLog } from "../../../lib/index.ts";
import { sqliteRequestLog } from "../../../lib/storage/sqlite/index.ts";
import { assertRequestLog, logEntry, startedAt } from "../../support/request-logs.ts";

const dayMs = 86_400_000;

function openLog(t: TestContext, limits: Partial<Parameters<typeof sqliteRequestLog>[0]> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "request-log-"));
  const file = join(folder, "requests.db");
  const log = sqliteRequestLog({ file, maxAgeMs: 7 * dayMs, ...limits });
  t.after(() => {
    log.close();
    rmSync(folder, { recursive: true });
  });
  const ids = async (tenantId = "a") => (await log.find(tenantId, { limit: 1_000 })).map(({ requestId }) => requestId);
  return { log, folder, file, ids };
}

test("memoryRequestLog finds and counts what was appended", () => assertRequestLog(memoryRequestLog()));

test("memoryRequestLog keeps the last 1,000 entries of a tenant, and the last 100 tenants", async () => {
  const log = memoryRequestLog();
  for (let i = 0; i < 1_001; i++) await log.append([logEntry({ requestId: String(i) })]);
  const found = await log.find("a", { limit: 2_000 });
  assert.deepEqual([found.length, found.at(-1)?.requestId], [1_000, "1"]);
  for (let i = 0; i < 100; i++) await log.append([logEntry({ tenantId: `t${i}` })]);
  assert.deepEqual([(await log.find("a", { limit: 1 })).length, (await log.find("t0", { limit: 1 })).length], [0, 1]);
});

test("sqliteRequestLog finds and counts what was appended, in a file that only its owner can read", async (t) => {
  const { log, file } = openLog(t);
  assert.deepEqual(await log.find("a", { limit: 1 }), []);
  await assertRequestLog(log);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(new Database(file).pragma("journal_mode", { simple: true }), "wal");
});

test("sqliteRequestLog removes entries after the maximum age", async (t) => {
  const { log, ids } = openLog(t);
  await log.append([logEntry({ requestId: "old" })]);
  await log.append([logEntry({ requestId: "new", at: startedAt + 7 * dayMs + 1 })]);
  assert.deepEqual(await ids(), ["new"]);
});

test("sqliteRequestLog keeps at most the newest entries of a tenant, and of all tenants", async (t) => {
  const { log, ids } = openLog(t, { maxTenantEntries: 100, maxEntries: 150 });
  for (let i = 0; i < 120; i++) await log.append([logEntry({ at: startedAt + i, requestId: String(i) })]);
  const found = await ids();
  assert.ok(found.length <= 100 && found.length >= 95, `${found.length} entries`);
  assert.equal(found[0], "119");
  await log.append([logEntry({ tenantId: "b", requestId: "of b" })]);
  for (let i = 0; i < 90; i++) await log.append([logEntry({ tenantId: "c", at: startedAt + i })]);
  assert.deepEqual(await ids("b"), ["of b"]);
  assert.ok((await ids()).length + (await ids("b")).length + (await ids("c")).length <= 150);
});

test("sqliteRequestLog replaces a damaged file, and one of another version", async (t) => {
  const { log, file, ids } = openLog(t);
  writeFileSync(file, "not a database".repeat(100));
  await assert.rejects(async () => log.append([logEntry()]));
  await log.append([logEntry({ requestId: "first" })]);
  assert.deepEqual(await ids(), ["first"]);
  log.close();
  const other = new Database(file);
  other.pragma("user_version = 99");
  other.close();
  await assert.rejects(async () => log.append([logEntry()]));
  await log.append([logEntry({ requestId: "second" })]);
  assert.deepEqual(await ids(), ["second"]);
});

test("sqliteRequestLog uses the tables that another program creates at the same time", async (t) => {
  const { log, file, ids } = openLog(t);
  const { log: model, file: modelFile } = openLog(t);
  await model.append([logEntry()]);
  const reader = new Database(modelFile, { readonly: true });
  const sql = reader.prepare<[], string>("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").pluck().all();
  reader.close();
  const started = new Int32Array(new SharedArrayBuffer(4));
  // Has created the tables, and commits as soon as the log waits for its lock.
  const other = new Worker(
    `const { workerData, parentPort } = require("node:worker_threads");
    const database = new (require("better-sqlite3"))(workerData.file);
    database.pragma("journal_mode = WAL");
    database.exec(\`BEGIN IMMEDIATE; \${workerData.sql.join(";")}; PRAGMA user_version = 1\`);
    parentPort.postMessage("created");
    Atomics.wait(workerData.started, 0, 0);
    Atomics.wait(workerData.started, 0, 1, 5);
    database.exec("COMMIT");
    database.close();`,
    { eval: true, workerData: { file, sql, started } },
  );
  await once(other, "message");
  Atomics.store(started, 0, 1);
  Atomics.notify(started, 0);
  // A stalled machine can exceed the time that the log waits.
  const busy = await Promise.resolve(log.append([logEntry({ requestId: "first" })])).catch((error) => error.code);
  await once(other, "exit");
  assert.ok(busy === undefined || busy === "SQLITE_BUSY", busy);
  await log.append([logEntry({ requestId: "second" })]);
  assert.equal((await ids())[0], "second");
});

test("sqliteRequestLog rejects while another program has the lock, and works after it", async (t) => {
  const { log, file, ids } = openLog(t);
  await log.append([logEntry({ requestId: "first" })]);
  const other = new Database(file);
  other.exec("BEGIN EXCLUSIVE");
  await assert.rejects(async () => log.append([logEntry()]), { code: "SQLITE_BUSY" });
  other.exec("ROLLBACK");
  other.close();
  await log.append([logEntry({ requestId: "second" })]);
  assert.deepEqual(await ids(), ["second", "first"]);
});

test("sqliteRequestLog rejects while its folder is missing, and works after it", async (t) => {
  const { folder } = openLog(t);
  const inner = join(folder, "inner");
  const log = sqliteRequestLog({ file: join(inner, "requests.db"), maxAgeMs: dayMs });
  await assert.rejects(async () => log.append([logEntry()]), { code: "ENOENT" });
  mkdirSync(inner);
  await log.append([logEntry()]);
  assert.equal((await log.find("a", { limit: 2 })).length, 1);
  log.close();
});

test("removeTenant removes the entries of one tenant from the file", async (t) => {
  const { log, file, ids } = openLog(t);
  log.removeTenant("a");
  await log.append([logEntry({ path: "/gone-path" }), logEntry({ tenantId: "b", requestId: "other" })]);
  log.removeTenant("a");
  assert.deepEqual([await ids(), await ids("b")], [[], ["other"]]);
  log.close();
  assert.ok(!readFileSync(file).includes("gone-path"), "the page still has the text");
});
