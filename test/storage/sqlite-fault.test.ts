import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import Database from "better-sqlite3";
import { createTenant, idOf, insertWrite, newTask, startTime } from "../../lib/storage/contract/records.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { type Storage, StorageUnavailable } from "../../lib/storage/storage.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = temporaryFolder();

/** Opens a storage with one tenant. Returns it, its writing connection and a switch that makes every COMMIT fail. */
async function faulty(context: TestContext, name: string) {
  const { prepare } = Database.prototype;
  const faults = { commit: false };
  let writer: Database.Database | undefined;
  context.mock.method(Database.prototype, "prepare", function (this: Database.Database, sql: string) {
    const statement = prepare.call(this, sql);
    if (sql !== "COMMIT") return statement;
    writer = this;
    const run = statement.run.bind(statement) as () => Database.RunResult;
    statement.run = () => {
      if (faults.commit) throw new Database.SqliteError("disk I/O error", "SQLITE_IOERR_FSYNC");
      return run();
    };
    return statement;
  });
  const storage = sqliteStorage({ file: join(root, name, "crm.db"), commitWorker: false });
  const tenant = await createTenant(storage, 1);
  assert.ok(writer);
  return { storage, tenant, writer, faults };
}

/** Starts one commit per task at the same time. Returns `stored` or the class of the error for each. */
async function commitAll(storage: Storage, tenant: string, tasks: readonly (readonly [number, string])[]) {
  const outcomes = await Promise.allSettled(
    tasks.map(([index, description]) =>
      storage.commit(tenant, startTime, (at) => [insertWrite("task", newTask(idOf(1, index), at, { description }))]),
    ),
  );
  return outcomes.map((outcome) => (outcome.status === "fulfilled" ? "stored" : outcome.reason.constructor));
}

test("a failed COMMIT rejects every commit in the transaction with StorageUnavailable and stores nothing", async (context) => {
  const { storage, tenant, faults } = await faulty(context, "commit");
  faults.commit = true;
  const outcomes = await commitAll(storage, tenant, [
    [1, "a"],
    [1, "b"],
    [2, "c"],
  ]);
  assert.deepEqual(outcomes, [StorageUnavailable, StorageUnavailable, StorageUnavailable]);
  assert.deepEqual(await storage.list(tenant, "task", {}), []);
  faults.commit = false;
  assert.deepEqual(await commitAll(storage, tenant, [[1, "a"]]), ["stored"]);
  assert.deepEqual(await storage.list(tenant, "task", {}), [newTask(idOf(1, 1), startTime + 1, { description: "a" })]);
  await storage.close();
});

test("on a full disk, exactly the confirmed commits are stored, and reads still work", async (context) => {
  const { storage, tenant, writer } = await faulty(context, "full");
  writer.pragma(`max_page_count = ${writer.pragma("page_count", { simple: true })}`);
  const outcomes = await commitAll(storage, tenant, [
    [0, "small"],
    [1, "x".repeat(100_000)],
    [2, "also small"],
  ]);
  assert.equal(outcomes[1], StorageUnavailable);
  const list = await storage.list(tenant, "task", {});
  const stored = outcomes.flatMap((outcome, index) => (outcome === "stored" ? [idOf(1, index)] : []));
  assert.deepEqual(
    list.map(({ id }) => id),
    stored,
  );
  assert.deepEqual(
    new Set(outcomes),
    new Set(stored.length === 0 ? [StorageUnavailable] : [StorageUnavailable, "stored"]),
  );
  writer.pragma("max_page_count = 1000000");
  assert.deepEqual(await commitAll(storage, tenant, [[9, "x".repeat(100_000)]]), ["stored"]);
  await storage.close();
});
