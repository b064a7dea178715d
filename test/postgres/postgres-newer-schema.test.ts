import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { NewerSchema } from "../../lib/index.ts";
import {
  createTenant,
  idOf,
  insertWrite,
  newEvent,
  newIdempotencyRecord,
  startTime,
} from "../../lib/storage/contract/records.ts";
import { migrate } from "../../lib/storage/postgres/migrate.ts";
import { latestVersion, type Migration, migrations } from "../../lib/storage/postgres/migrations.ts";
import { grouped, inSteps, locked, opened } from "../support/postgres-groups.ts";
import { noPostgres } from "../support/postgres-server.ts";

const next = latestVersion(migrations) + 1;
const steps: readonly Migration[] = [
  ...migrations,
  { version: next, statements: ["ALTER TABLE tasks ADD COLUMN rank BIGINT NOT NULL DEFAULT 7"] },
];

async function migrateAt(address: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: address, max: 1 });
  await migrate(pool, steps).finally(() => pool.end());
}

const rejected = { name: "StorageUnavailable", found: next, known: next - 1 };

test("after a migration, a group commit and a commit that creates a tenant are rejected", {
  skip: noPostgres,
}, async (t) => {
  const { address, storage, sent, make, storedTasks } = await opened(t);
  for (const index of [1, 2, 3, 4]) await make(storage, index, index);
  sent.length = 0;
  await make(storage, 5, 5);
  assert.deepEqual(sent, grouped);
  const before = await storedTasks();
  await migrateAt(address);
  sent.length = 0;
  await assert.rejects(make(storage, 6, 6), rejected);
  assert.deepEqual(sent, [...grouped, inSteps[0], "ROLLBACK"]);
  await assert.rejects(createTenant(storage, 2), NewerSchema);
  assert.deepEqual([await storedTasks(), (await storage.listTenants()).length], [before, 1]);
});

test("after a migration, an older server deletes no idempotency records and no events, and says why", {
  skip: noPostgres,
}, async (t) => {
  const { address, storage, other, tenant } = await opened(t);
  await storage.commit(tenant, startTime, (at) => [
    insertWrite("idempotencyRecord", newIdempotencyRecord("old", at, startTime - 1)),
    insertWrite("event", newEvent(idOf(1, 1), at)),
  ]);
  const eventsFrom = await other.eventsFrom(tenant);
  await migrateAt(address);
  for (const before of [0, startTime]) await assert.rejects(storage.pruneIdempotencyRecords(before), rejected);
  await assert.rejects(storage.pruneEvents(tenant, startTime + 10), rejected);
  assert.equal((await other.list(tenant, "idempotencyRecord", {})).length, 1);
  assert.equal((await other.list(tenant, "event", {})).length, 1);
  assert.equal(await other.eventsFrom(tenant), eventsFrom);
});

test("a commit that writes nothing because of another schema version is rejected", { skip: noPostgres }, async (t) => {
  const { address, storage, other, sent, make, storedTasks } = await opened(t);
  await make(other, 1, 10);
  await make(storage, 2, 10);
  const before = await storedTasks();
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  await client.query("UPDATE settings SET value = '0' WHERE name = 'schema_version'");
  await client.end();
  sent.length = 0;
  await assert.rejects(make(storage, 3, 10), { name: "StorageUnavailable" });
  assert.deepEqual(sent, [...locked, "ROLLBACK"]);
  assert.deepEqual(await storedTasks(), before);
});

for (const [name, count] of [
  ["in a transaction of its own", 0],
  ["in a group", 5],
] as const)
  test(`a commit ${name} that waits for a migration is rejected`, { skip: noPostgres, timeout: 30_000 }, async (t) => {
    const { address, storage, make, storedTasks } = await opened(t);
    for (let index = 1; index <= count; index++) await make(storage, index, index);
    const before = await storedTasks();
    const [migration, observer] = [1, 2].map(() => new pg.Client({ connectionString: address }));
    assert.ok(migration && observer);
    await Promise.all([migration.connect(), observer.connect()]);
    t.after(() => Promise.all([migration.end(), observer.end()]));
    // Stop inside the migration.
    await migration.query("BEGIN; SELECT pg_advisory_lock(1)");
    const sleeping = { version: next, statements: ["SELECT pg_advisory_xact_lock(1)"] };
    const pool = new pg.Pool({ connectionString: address, max: 1 });
    t.after(() => pool.end());
    const migrated = migrate(pool, [...migrations, sleeping]);
    const waiting = async (count: number): Promise<void> => {
      const sql = `SELECT count(*)::int AS count FROM pg_locks l JOIN pg_database d ON d.oid = l.database
        WHERE NOT granted AND datname = current_database()`;
      while ((await observer.query(sql)).rows[0].count < count);
    };
    await waiting(1);
    const commit = make(storage, 9, 9);
    const outcome = assert.rejects(commit, rejected);
    await waiting(2);
    await migration.query("SELECT pg_advisory_unlock(1); COMMIT");
    await Promise.all([migrated, outcome]);
    assert.deepEqual(await storedTasks(), before);
  });
