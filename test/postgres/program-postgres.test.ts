import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { describe, test } from "node:test";
import { freshAddress, storageAt } from "../support/postgres-databases.ts";
import { noPostgres } from "../support/postgres-server.ts";
import { serving, start, tenantFolder } from "../support/program.ts";
import { redisProgram, startRedis } from "../support/redis-server.ts";
import { testTenant } from "../support/tenants.ts";

const one = testTenant(1);
const { path, file } = tenantFolder(one);

/** Returns the status of a request with an API key, and its rate limit headers. */
async function me(baseUrl: string, key: string) {
  const response = await fetch(`${baseUrl}/me`, { headers: { "x-api-key": key } });
  return { status: response.status, left: response.headers.get("x-ratelimit-remaining") };
}

async function until(what: () => Promise<boolean>): Promise<void> {
  while (!(await what())) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe("the program on PostgreSQL", { skip: noPostgres, timeout: 120_000 }, () => {
  test("two servers that start at once on an empty database create one tenant, and one of them prints the API key", async (t) => {
    const address = await freshAddress();
    const servers = await Promise.all([1, 2].map(() => serving(t, "--database", address)));
    const keys = servers.flatMap(({ greeting }) => greeting.keys);
    assert.equal(keys.length, 1);
    const key = keys[0]?.key ?? "";
    for (const { greeting } of servers) assert.equal((await me(greeting.baseUrl, key)).status, 200);
    const listed = await start(t, "key", "list", "--json", "--database", address).ended;
    assert.equal(JSON.parse(listed.stdout).length, 1);
    for (const { child } of servers) child.kill("SIGTERM");
    for (const { ended } of servers) assert.deepEqual(await ended.then(({ code, stderr }) => [code, stderr]), [0, ""]);
  });

  test("init, key and user read the database URL from a file and never print its password", async (t) => {
    const address = (await freshAddress()).replace("crm@", "crm:geheim@");
    writeFileSync(path("address"), `${address}\n`, { mode: 0o600 });
    const run = (...args: string[]) => start(t, ...args).ended;
    process.env.CRM_DATABASE_FILE = path("address");
    t.after(() => delete process.env.CRM_DATABASE_FILE);
    const names = ["--tenant-name", "Acme", "--admin-name", "Ana", "--admin-email", "ana@acme.example"];
    const made = await run("init", ...names);
    const added = await run("user", "add", "--name", "Max", "--email", "max@acme.example");
    const second = await run("key", "create");
    const third = await run("key", "create");
    const config = await run("config");
    assert.deepEqual(
      [made, added, second, third, config].map(({ code }) => code),
      [0, 0, 0, 1, 0],
    );
    assert.match(config.stdout, /^database +CRM_DATABASE +\*\*\*\* +\(CRM_DATABASE_FILE \(.+\)\)$/m);
    for (const { stdout, stderr } of [made, added, second, third, config]) {
      assert.ok(!`${stdout}${stderr}`.includes("geheim"), stdout + stderr);
    }
  });

  test("an admin token is accepted only if it is signed with the servers' secret", async (t) => {
    const address = await freshAddress();
    const secret = "s".repeat(40);
    const { greeting } = await serving(t, "--database", address, "--fixtures", file, "--admin-secret", secret);
    const who = ["token", "--database", address, "--tenant", one.id, "--user", "ana@tenant.test"];
    const without = await start(t, ...who).ended;
    assert.deepEqual([without.code, without.stdout], [2, ""]);
    assert.match(without.stderr, /--admin-secret/);
    const token = (await start(t, ...who, "--admin-secret", secret).ended).stdout.trim();
    const keys = await fetch(`${greeting.url}/integrations/api-key`, { headers: { Authorization: `Bearer ${token}` } });
    assert.equal(keys.status, 200);
  });

  test("check changes nothing, and commands for SQLite files name their PostgreSQL alternative", async (t) => {
    const address = await freshAddress();
    const run = (...args: string[]) => start(t, ...args, "--database", address).ended;
    const empty = await run("check", "--json");
    const stateOf = ({ stdout }: { stdout: string }) =>
      Object.fromEntries(
        (JSON.parse(stdout).findings as { name: string; state: string }[]).map(({ name, state }) => [name, state]),
      );
    // fsync is off: no machine falls in this test.
    const found = { server: "ok", schema: "failed", durability: "failed", connections: "ok", backups: "ok" };
    assert.deepEqual([empty.code, stateOf(empty)], [1, found]);
    await (await storageAt(address)).close();
    assert.deepEqual(stateOf(await run("check", "--json")), { ...found, schema: "ok", "test keys": "ok" });
    const inPlace = { backup: /pg_dump/, restore: /pg_restore/, migrate: /first server/ };
    for (const [name, words] of Object.entries(inPlace)) {
      const { code, stdout, stderr } = await run(name, ...(name === "migrate" ? [] : ["x.db"]));
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(stderr, words);
      assert.match(stderr, /^crm-integrations: The database is PostgreSQL \(postgres:\/\/[^?]+\)\. [^\n]+\n$/);
    }
  });

  test("every server rejects an API key after the CLI revokes it", async (t) => {
    const address = await freshAddress();
    const servers = await Promise.all([1, 2].map(() => serving(t, "--database", address, "--fixtures", file)));
    const statuses = async () =>
      Promise.all(servers.map(async ({ greeting }) => (await me(greeting.baseUrl, one.readKey)).status));
    assert.deepEqual(await statuses(), [200, 200]);
    const listed = await start(t, "key", "list", "--json", "--database", address).ended;
    const keys = JSON.parse(listed.stdout) as { id: string; integrationName: string }[];
    const id = keys.find(({ integrationName }) => integrationName === "Reader")?.id ?? "";
    assert.equal((await start(t, "key", "revoke", id, "--database", address).ended).code, 0);
    assert.deepEqual(await statuses(), [401, 401]);
  });
});

test("two servers share a rate limit in Redis, and if Redis is down each counts alone and logs it once", {
  skip: redisProgram === undefined ? "Redis is not installed here (Debian: apt-get install redis-server)" : false,
  timeout: 120_000,
}, async (t) => {
  const redis = await startRedis();
  t.after(() => redis.stop());
  const options = ["--data", path("shared"), "--limiter", redis.socket, "--rate-limit", "50"];
  const servers = [await serving(t, "--fixtures", file, ...options), await serving(t, ...options)];
  const send = async (index: number) => me(servers[index % 2]?.greeting.baseUrl ?? "", one.key);
  const shared = [];
  for (let index = 0; index < 4; index++) shared.push((await send(index)).left);
  assert.deepEqual(shared, ["49", "48", "47", "46"]);
  redis.halt();
  const alone = [];
  for (let index = 0; index < 8; index++) alone.push(await send(index));
  assert.deepEqual(
    alone.map(({ status, left }) => [status, left]),
    [49, 49, 48, 48, 47, 47, 46, 46].map((left) => [200, String(left)]),
  );
  redis.resume();
  await until(async () => Number((await send(0)).left) < 45 && Number((await send(1)).left) < 45);
  for (const { child } of servers) child.kill("SIGTERM");
  for (const { ended } of servers) {
    const { code, stderr } = await ended;
    assert.equal(code, 0);
    const notices = stderr.match(/Redis is not responding; counting requests in this process only/g) ?? [];
    assert.equal(notices.length, 1, stderr);
  }
});

test("a server starts if Redis is down, and an invalid Redis URL is a usage error", async (t) => {
  const { greeting } = await serving(t, "--fixtures", file, "--limiter", "redis://127.0.0.1:1");
  assert.deepEqual(await me(greeting.baseUrl, one.key), { status: 200, left: "299" });
  const { code, stderr } = await start(t, "serve", "--fixtures", file, "--limiter", "http://localhost").ended;
  assert.deepEqual([code, /redis:\/\//.test(stderr)], [2, true]);
});
