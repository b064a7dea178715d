import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { crmIntegrations, type Ended, serveInProcess } from "../../support/run-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const data = join(temporaryFolder(), "data");
const run = (...args: readonly string[]): Promise<Ended> => crmIntegrations(...args, "--data", data);

type Tenant = { readonly id: string; readonly name: string; readonly archivedAt: string | null };
type Created = { readonly tenantId: string; readonly key: string };

async function create(command: readonly string[], name: string): Promise<Created> {
  const admin = ["--admin-name", "Ana", "--admin-email", "ana@acme.example"];
  const { code, stdout, stderr } = await run(...command, "--tenant-name", name, ...admin, "--json");
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Created;
}

async function list(): Promise<readonly Tenant[]> {
  return JSON.parse((await run("tenant", "list", "--json")).stdout) as Tenant[];
}

async function names(): Promise<readonly string[]> {
  return (await list()).map(({ name }) => name);
}

test("tenant create, list and rename", async () => {
  await create(["init"], "Acme");
  const bolt = await create(["tenant", "create"], "Bolt");
  assert.deepEqual(await names(), ["Acme", "Bolt"]);
  assert.match((await run("tenant", "list")).stdout, new RegExp(`^${bolt.tenantId} +Bolt +20`, "m"));
  assert.equal((await run("tenant", "rename", "Bolt", "Bolt Ltd")).stdout, "Renamed the tenant Bolt to Bolt Ltd.\n");
  assert.deepEqual(await names(), ["Acme", "Bolt Ltd"]);
  const missing = await run("tenant", "rename", "Missing", "X");
  assert.deepEqual([missing.code, /No tenant has the ID or name Missing\./.test(missing.stderr)], [1, true]);
  const empty = await run("tenant", "rename", "Bolt Ltd", " ");
  assert.deepEqual([empty.code, /A name has 1 to 255 characters\./.test(empty.stderr)], [2, true]);
});

test("tenant archive stops the API keys and admin tokens of a running server at once, and tenant restore undoes it", async (t) => {
  const { tenantId, key } = await create(["tenant", "create"], "Cargo");
  const { greeting } = await serveInProcess(t, "--data", data);
  const token = (await run("token", "--tenant", tenantId, "--user", "ana@acme.example")).stdout.trim();
  const statuses = async () => {
    const me = await fetch(`${greeting.baseUrl}/me`, { headers: { "x-api-key": key } });
    const adminUrl = greeting.baseUrl.replace("/v1", "/admin/users");
    const users = await fetch(adminUrl, { headers: { authorization: `Bearer ${token}` } });
    return [me.status, users.status];
  };
  assert.deepEqual(await statuses(), [200, 200]);
  assert.equal(
    (await run("tenant", "archive", "Cargo")).stdout,
    `Archived the tenant Cargo. To undo: crm-integrations tenant restore ${tenantId} --data ${data}\n`,
  );
  const [me = 0, users = 0] = await statuses();
  assert.deepEqual([me, [401, 403].includes(users)], [401, true]);
  assert.match((await list()).find(({ id }) => id === tenantId)?.archivedAt ?? "", /^20/);
  const archived = await run("token", "--tenant", "Cargo", "--user", "ana@acme.example");
  assert.match(
    archived.stderr,
    new RegExp(`The tenant Cargo is archived\\. Restore it with tenant restore ${tenantId}\\.`),
  );
  assert.match((await run("tenant", "restore", "Bolt Ltd")).stderr, /The tenant Bolt Ltd isn't archived\./);
  assert.match((await run("tenant", "restore", "Missing")).stderr, /No archived tenant has the ID or name Missing\./);
  assert.equal((await run("tenant", "restore", "Cargo")).stdout, "Restored the tenant Cargo.\n");
  assert.match((await run("tenant", "restore", tenantId)).stderr, /No tenant is archived\./);
  assert.deepEqual(await statuses(), [200, 200]);
});

test("serve creates no tenant if the database has an archived one", async (t) => {
  for (const { id } of await list()) assert.equal((await run("tenant", "archive", id)).code, 0);
  const before = await list();
  await serveInProcess(t, "--data", data);
  assert.deepEqual(await list(), before);
  assert.match(
    (await run("token", "--user", "ana@acme.example")).stderr,
    /All tenants are archived\. Restore one with tenant restore\./,
  );
});
