import assert from "node:assert/strict";
import type Database from "better-sqlite3";
import { SqliteError } from "better-sqlite3";
import { idOf, insertWrite, newAccount, newTask, startTime } from "../../lib/storage/contract/records.ts";
import { StorageUnavailable } from "../../lib/storage/storage.ts";
import { addTask, shared, testBoth } from "../support/sqlite-shared.ts";

/** Account fields that can't be sent to a worker thread, and the result of a commit with them. */
const unsendable: readonly (readonly [string, Record<string, unknown>])[] = [
  ["stored", { customFields: new Proxy({ size: 1 }, {}) }],
  ["stored", { customFields: { size: 1, half() {} } }],
  ["TypeError", { phone: Symbol("none") }],
];

testBoth("a value that can't be sent to a worker thread doesn't affect other commits", async (commitThread) => {
  const { storage, tenant, holder } = await shared(commitThread);
  const accounts = unsendable.map(([, fields], index) =>
    storage.commit(tenant, startTime, (at) => [
      insertWrite("account", newAccount(idOf(1, index), at, fields as never)),
    ]),
  );
  const outcomes = await Promise.allSettled([...accounts, addTask(storage, tenant, 9)]);
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === "fulfilled" ? "stored" : outcome.reason.constructor.name)),
    [...unsendable.map(([wanted]) => wanted), "stored"],
  );
  assert.deepEqual(
    (await storage.list(tenant, "account", {})).map(({ customFields }) => customFields),
    [{ size: 1 }, { size: 1 }],
  );
  assert.deepEqual(await storage.list(tenant, "task", {}), [newTask(idOf(1, 9), startTime + 4)]);
  holder.close();
  await storage.close();
});

testBoth("errors of SQLite keep their code, also as the cause of StorageUnavailable", async (commitThread) => {
  const { storage, tenant, holder } = await shared(commitThread);
  const dangling = storage.commit(tenant, startTime, (at) => [
    insertWrite("account", newAccount(idOf(1, 1), at, { ownerId: idOf(1, 2) })),
  ]);
  assert.deepEqual(describe(await dangling.catch((error: unknown) => error)), {
    ...{ isOfSqlite: true, name: "SqliteError", code: "SQLITE_CONSTRAINT_FOREIGNKEY" },
    message: "FOREIGN KEY constraint failed",
  });
  const damaged = storage.commit(tenant, startTime, (at) => {
    damage(holder);
    return [insertWrite("task", newTask(idOf(1, 1), at))];
  });
  const unavailable = await damaged.catch((error: unknown) => error);
  assert.ok(unavailable instanceof StorageUnavailable, `${unavailable}`);
  assert.equal(unavailable.message, "The database can't be used: SQLITE_CORRUPT.");
  assert.deepEqual(describe(unavailable.cause), {
    ...{ isOfSqlite: true, name: "SqliteError", code: "SQLITE_CORRUPT" },
    message: "malformed database schema (settings)",
  });
  holder.close();
  await storage.close();
});

function describe(error: unknown): object {
  const { name, message, code } = error as InstanceType<typeof SqliteError>;
  return { isOfSqlite: error instanceof SqliteError, name, message, code };
}

/** Damages the schema, so that every later use of the database fails. */
function damage(holder: Database.Database): void {
  holder.unsafeMode();
  holder.pragma("writable_schema = ON");
  holder.exec("UPDATE sqlite_schema SET sql = 'damaged' WHERE name = 'settings'");
  holder.pragma("schema_version = 1000");
}
