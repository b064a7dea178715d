import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import pg from "pg";
import type { CheckResult } from "../../bin/check/check-result.ts";
import { checkPostgres } from "../../bin/check/postgres.ts";
import { openPostgres } from "../../bin/database/postgres-database.ts";
import { Health } from "../../bin/server/health.ts";
import { revokeWrite } from "../../lib/api/rules/api-key-status.ts";
import { StorageUnavailable } from "../../lib/index.ts";
import { entityModels } from "../../lib/model/entities.ts";
import { fullTenant, insertAll } from "../../lib/storage/contract/full-tenant.ts";
import { commitNow, idOf, insertWrite, newTask, startTime } from "../../lib/storage/contract/records.ts";
import { distributeTables } from "../../lib/storage/postgres/index.ts";
import { migrate } from "../../lib/storage/postgres/migrate.ts";
import { latestVersion, migrations } from "../../lib/storage/postgres/migrations.ts";
import { type CitusCluster, noCitus, startCitus } from "../support/citus-cluster.ts";
import { storageAt } from "../support/postgres-databases.ts";
import { observedStorage } from "../support/postgres-interceptor.ts";
import { start } from "../support/program.ts";

/** The constraints and indexes in the syntax of PostgreSQL, without those of shards, whose names end in a number. */
const shapeSql = `
  SELECT conrelid::regclass || ' ' || conname || ' ' || convalidated || ' ' || pg_get_constraintdef(oid) AS line
    FROM pg_constraint WHERE connamespace = current_schema()::regnamespace AND conrelid::regclass::text !~ '_[0-9]+$'
  UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() AND tablename !~ '_[0-9]+$' ORDER BY 1`;
const kindsSql = `SELECT c.relname AS name, CASE WHEN partmethod = 'h' THEN 'shards' WHEN repmodel = 't' THEN 'copies' END AS kind
  FROM pg_class c LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.oid
  WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname !~ '_[0-9]+$' ORDER BY 1`;
const shardsSql = `SELECT p.shardid AS shard, n.nodeport AS port FROM pg_dist_placement p
  JOIN pg_dist_node n ON n.groupid = p.groupid
  WHERE p.shardid = get_shard_id_for_distribution_column($1, $2::text)`;

/** The tests use one cluster, one after the other. */
describe("With Citus", { skip: noCitus, timeout: 600_000 }, () => {
  let cluster: CitusCluster;
  let client: pg.Client;
  before(async () => {
    cluster = await startCitus();
    client = new pg.Client({ connectionString: cluster.url });
    await client.connect();
  });
  after(async () => {
    await client?.end();
    await cluster?.stop();
  });

  const rows = async (sql: string, values: unknown[] = []) => (await client.query(sql, values)).rows;
  const schemaCheck = async () => (await checkPostgres(cluster.url)).find(({ name }) => name === "schema");
  const addTask = (storage: Awaited<ReturnType<typeof storageAt>>, tenant: number, index: number, now = startTime) =>
    commitNow(storage, idOf(tenant, 0), now, (at) => [insertWrite("task", newTask(idOf(tenant, index), at))]);

  test("postgres distribute rejects a database without tables", async () => {
    await assert.rejects(distributeTables(client), {
      name: "DatabaseError",
      message: "The database has no tables yet. Run init or serve first.",
    });
  });

  test("an interrupted distribution changes nothing, and the next one distributes every table", async (t) => {
    const storage = await storageAt(cluster.url);
    t.after(() => storage.close());
    for (const tenant of [1, 2, 3])
      await storage.commit(idOf(tenant, 0), startTime, () => insertAll(fullTenant(tenant, startTime)));
    const shape = await rows(shapeSql);
    const tasks = await storage.list(idOf(1, 0), "task", {});

    const interrupted = new pg.Client({ connectionString: cluster.url });
    await interrupted.connect();
    const send = interrupted.query.bind(interrupted);
    interrupted.query = (async (...args: Parameters<typeof send>) => {
      if (String(args[0]).includes("'tasks'")) throw new Error("interrupted");
      return send(...args);
    }) as typeof interrupted.query;
    await assert.rejects(distributeTables(interrupted), /interrupted/);
    await interrupted.end();
    assert.deepEqual(await rows(shapeSql), shape);
    assert.deepEqual(
      (await rows(kindsSql)).filter(({ kind }) => kind !== null),
      [],
    );

    const distribute = async () => {
      const { code, stdout, stderr } = await start(t, "postgres", "distribute", "--database", cluster.url).ended;
      return [code, stdout, stderr];
    };
    const [code, stdout, stderr] = await distribute();
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(String(stdout), /^Distributed tenants, settings, api_key_owners, tenant_clocks, .*tasks/);
    assert.deepEqual(await rows(shapeSql), shape);
    const kinds = await rows(kindsSql);
    assert.deepEqual(
      kinds.filter(({ kind }) => kind !== "shards"),
      [
        { name: "settings", kind: "copies" },
        { name: "tenants", kind: "copies" },
      ],
    );
    assert.deepEqual(await storage.list(idOf(1, 0), "task", {}), tasks);
    assert.deepEqual(await distribute(), [0, "All tables are distributed already.\n", ""]);
    assert.deepEqual(await schemaCheck(), { name: "schema", state: "ok", message: String(latestVersion(migrations)) });
  });

  test("each settings version is read from the shard of its tenant", async (t) => {
    const sent: string[] = [];
    const storage = await observedStorage(cluster.url, (text) => sent.push(text));
    t.after(() => storage.close());
    const before = sent.length;
    const tenants = [idOf(1, 0), idOf(2, 0)];
    const versions = await Promise.all(tenants.map((tenant) => storage.settingsVersion(tenant)));
    assert.ok(versions.every((version) => version > 0));
    assert.equal(sent.length - before, tenants.length, sent.slice(before).join("\n"));
  });

  test("check names a table that isn't distributed and a missing foreign key, and distribute takes only the new table", async () => {
    await client.query("SELECT undistribute_table('request_log')");
    const local = "Not distributed: request_log. Run postgres distribute.";
    assert.deepEqual(await schemaCheck(), { name: "schema", state: "failed", message: local });
    assert.deepEqual(await distributeTables(client), ["request_log"]);
    await client.query("ALTER TABLE grants DROP CONSTRAINT grants_tenant_id_user_id_fkey");
    assert.match(String((await schemaCheck())?.message), /^Missing foreign keys: grants \(tenant_id, user_id\)\. Add /);
    const add = "ADD CONSTRAINT grants_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users";
    await client.query(`ALTER TABLE grants ${add} (tenant_id, id)`);
    assert.equal((await schemaCheck())?.state, "ok");
  });

  test("a migration with several statements and a new table runs, and old servers are rejected", async (t) => {
    const old = await storageAt(cluster.url);
    t.after(() => old.close());
    const pool = new pg.Pool({ connectionString: cluster.url, max: 1 });
    t.after(() => pool.end());
    const version = latestVersion(migrations) + 1;
    await migrate(pool, [
      ...migrations,
      {
        version,
        statements: [
          "ALTER TABLE tasks ADD COLUMN rank BIGINT NOT NULL DEFAULT 7",
          "ALTER TABLE tasks ALTER COLUMN rank SET DEFAULT 8",
          "DROP TABLE search_entries",
          `CREATE TABLE search_entries (tenant_id TEXT COLLATE "C" NOT NULL, kind TEXT COLLATE "C" NOT NULL,
             id TEXT COLLATE "C" NOT NULL, terms TSVECTOR NOT NULL, updated_at BIGINT NOT NULL,
             PRIMARY KEY (tenant_id, kind, id), FOREIGN KEY (tenant_id) REFERENCES tenants (tenant_id))`,
          "INSERT INTO search_entries SELECT tenant_id, 'account', id, array_to_tsvector(ARRAY[name]), 1 FROM accounts",
        ],
      },
    ]);
    assert.deepEqual(
      (await rows(kindsSql)).filter(({ kind }) => kind === null),
      [],
    );
    await assert.rejects(addTask(old, 1, 90), { found: version, known: version - 1 });
    await client.query("UPDATE settings SET value = $1 WHERE name = 'schema_version'", [String(version - 1)]);
    await addTask(old, 1, 90);
  });

  test("a tenant moves to its own shard with block_writes during writes, and no write is lost", async (t) => {
    const storage = await storageAt(cluster.url);
    t.after(() => storage.close());
    const [{ shard: shared } = { shard: undefined }] = await rows(shardsSql, ["tenant_clocks", idOf(2, 0)]);
    const move =
      "SELECT isolate_tenant_to_new_shard('tenant_clocks', $1::text, 'CASCADE', shard_transfer_mode => 'block_writes')";
    await assertNoneLost(t, storage, [2], () => client.query(move, [idOf(2, 0)]));
    const [{ shard } = { shard: undefined }] = await rows(shardsSql, ["tenant_clocks", idOf(2, 0)]);
    assert.notEqual(shard, shared);
  });

  test("while a worker is down, the other tenants create and revoke API keys, write and read, and servers start", async (t) => {
    const database = await openPostgres(cluster.url, { connections: 2 });
    const { storage } = database;
    t.after(() => storage.close());
    const health = new Health({
      reads: () => storage.cursorSecret(),
      writes: database.probe,
      cacheMs: 0,
      timeoutMs: 20_000,
    });
    for (const tenant of [4, 5, 6, 7, 8, 9])
      await storage.commit(idOf(tenant, 0), startTime, () => insertAll(fullTenant(tenant, startTime)));
    const tenants: { readonly id: string; readonly port: number }[] = [];
    for (const { id } of await storage.listTenants()) tenants.push({ id, port: await portOf("tenant_clocks", id) });
    for (const [index, worker] of cluster.workers.entries()) {
      const isDown = (port: number) => port === Number(new URL(worker.url).port);
      const dead = tenants.filter(({ port }) => isDown(port)).map(({ id }) => id);
      const tenant = [4, 5, 6, 7, 8, 9].find((each) => !dead.includes(idOf(each, 0))) ?? 0;
      const key = fullTenant(tenant, startTime).apiKey[0];
      assert.ok(key && dead.length > 0);
      let hash = "";
      for (let each = 0; hash === "" || isDown(await portOf("api_key_owners", hash)); each++)
        hash = `${index}${each}`.padEnd(64, "f");
      assert.equal((await storage.findApiKey(key.hash))?.revokedAt, key.revokedAt);
      await worker.kill();
      await commitNow(storage, idOf(tenant, 0), startTime, (at) => [revokeWrite(key, at, 1)]);
      assert.equal((await storage.findApiKey(key.hash))?.revokedAt, 1);
      const added = { ...key, id: idOf(tenant, 96), hash };
      await commitNow(storage, idOf(tenant, 0), startTime, (at) => [
        insertWrite("apiKey", { ...added, createdAt: at, updatedAt: at }),
      ]);
      assert.equal((await storage.findApiKey(hash))?.id, added.id);
      await addTask(storage, tenant, 95);
      for (const { kind } of Object.values(entityModels)) {
        const [record] = await storage.list(idOf(tenant, 0), kind, { limit: 1 });
        assert.deepEqual(await storage.get(idOf(tenant, 0), kind, record?.id ?? ""), record);
      }
      assert.equal((await health.respond("/readyz")).status, 200);
      await assertServes(t, dead);
      await worker.start();
    }
  });

  test("a third worker is added and gets shards during writes, and no write is lost", async (t) => {
    const storage = await storageAt(cluster.url);
    t.after(() => storage.close());
    // The other client still has connections to workers that the previous test stopped.
    const rebalancing = new pg.Client({ connectionString: cluster.url });
    await rebalancing.connect();
    t.after(() => rebalancing.end());
    let port = 0;
    await assertNoneLost(t, storage, [1, 3, 4, 5, 6, 7, 8, 9], async () => {
      port = await cluster.addWorker();
      await rebalancing.query("SELECT rebalance_table_shards('tenant_clocks', shard_transfer_mode => 'block_writes')");
    });
    const [{ count } = { count: 0 }] = await rows(
      "SELECT count(*) FROM pg_dist_shard_placement WHERE nodeport = $1 AND shardid IN (SELECT shardid FROM pg_dist_shard WHERE logicalrelid = 'tasks'::regclass)",
      [port],
    );
    assert.ok(Number(count) > 0);
    assert.equal((await schemaCheck())?.state, "ok");
  });

  /** Adds tasks to these tenants during a change of the cluster. Each confirmed one must be there afterwards. */
  async function assertNoneLost(
    t: TestContext,
    storage: Awaited<ReturnType<typeof storageAt>>,
    tenants: readonly number[],
    change: () => Promise<unknown>,
  ): Promise<void> {
    let isChanging = true;
    const writers = tenants.map((tenant) => {
      const added: string[] = [];
      const first = Promise.withResolvers<void>();
      const ended = (async () => {
        for (let index = 1000; isChanging; index++) {
          try {
            await addTask(storage, tenant, index, startTime + index);
            added.push(idOf(tenant, index));
            first.resolve();
          } catch (error) {
            // Citus rejects a write that waited for the change.
            if (!(error instanceof StorageUnavailable)) throw error;
          }
        }
      })();
      return { tenant, added, ended, hasWritten: Promise.race([first.promise, ended]) };
    });
    // The change must begin while writes succeed.
    await Promise.all(writers.map(({ hasWritten }) => hasWritten));
    const started = performance.now();
    await change().finally(() => {
      isChanging = false;
    });
    const durationMs = Math.round(performance.now() - started);
    await Promise.all(writers.map(({ ended }) => ended));
    const count = writers.reduce((sum, { added }) => sum + added.length, 0);
    t.diagnostic(`${durationMs} ms during ${count} writes`);
    for (const { tenant, added } of writers) {
      assert.ok(added.length > 0);
      const found = new Set((await storage.list(idOf(tenant, 0), "task", { limit: 100_000 })).map(({ id }) => id));
      assert.deepEqual(
        added.filter((id) => !found.has(id)),
        [],
      );
    }
  }

  async function portOf(table: string, value: string): Promise<number> {
    return (await rows(shardsSql, [table, value]))[0]?.port;
  }

  /** Starts a server and runs `check` while the tenants `dead` can't be read. */
  async function assertServes(t: TestContext, dead: readonly string[]): Promise<void> {
    const args = ["--database", cluster.url];
    const { child, waitForOutput, ended } = start(t, "serve", ...args, "--listen", "127.0.0.1:0");
    await waitForOutput(/Ctrl-C/);
    child.kill("SIGTERM");
    const { code, stderr } = await ended;
    assert.equal(code, 0, stderr);
    const { findings } = JSON.parse((await start(t, "check", ...args, "--json").ended).stdout) as {
      readonly findings: readonly CheckResult[];
    };
    // The nodes of the tests run without fsync.
    assert.deepEqual(
      findings.filter(({ state }) => state === "failed").map(({ name }) => name),
      ["durability"],
    );
    const logged = stderr.split("\n").filter((line) => line !== "");
    for (const messages of [
      logged.map((line) => String(JSON.parse(line).message)),
      findings.map(({ message }) => message),
    ]) {
      const unread = messages.filter((message) => message.startsWith("Can't read the API keys of tenant"));
      const named = unread.map((message) => /\((\S{36})\): The database can't be used: /.exec(message)?.[1]);
      assert.deepEqual(named.sort(), dead.toSorted(), messages.join("\n"));
    }
  }
});
