import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { type Storage, wrapStorage } from "../../../lib/index.ts";
import { loadTenantFile } from "../../../lib/tenant-file/index.ts";
import { adminAuth, adminOf } from "../../support/admin.ts";
import { type Result, type TestCrm, testCrm } from "../../support/harness.ts";
import { changeTime, raceTenant, recordOperations, setUpOperations } from "../../support/set-up-races.ts";
import { freshStorage, sharedStorages } from "../../support/storages.ts";

type Send = () => Promise<Result>;
/** A server that runs `beforeCommit` once, before its next commit, and counts its commits. */
type Server = TestCrm & { beforeCommit: Send | undefined; commits: number };

const orders = [
  "set-up before the commit of the record",
  "record before the commit of the set-up",
  "both at once",
] as const;
const storages = {
  "one server": async () => {
    const storage = await freshStorage();
    return [storage, storage] as const;
  },
  "two servers": sharedStorages,
} satisfies Readonly<Record<string, () => Promise<readonly [Storage, Storage]>>>;
let tenants = 0;

for (const [serverCount, open] of Object.entries(storages)) {
  for (const setUpName of Object.keys(setUpOperations(raceTenant(0)))) {
    test(`no record violates the settings after a concurrent "${setUpName}", on ${serverCount}`, async (t) => {
      const servers = await start(t, await open());
      const violations: string[] = [];
      for (const op of Object.keys(recordOperations(raceTenant(0))))
        for (const order of orders) violations.push(...(await race(servers, setUpName, op, order)));
      assert.deepEqual(violations, []);
    });
  }
}

test("a stage is archived at the first attempt while opportunities are written to other stages", async (t) => {
  const [server] = await start(t, await storages["one server"]());
  const tenant = await loadTenant(server);
  const body = { name: "Elsewhere", stageId: tenant.stageElsewhere };
  server.beforeCommit = () => server.send("POST", "/opportunities", { key: tenant.key, body });
  server.commits = 0;
  const { status } = await adminOf(server, tenant.id, tenant.admin)("DELETE", `/admin/stages/${tenant.stage}`);
  assert.equal(status, 204);
  assert.equal((await server.storage.list(tenant.id, "opportunity", { where: { stageId: body.stageId } })).length, 3);
  assert.equal(server.commits, 2);
});

async function start(t: TestContext, [first, second]: readonly [Storage, Storage]): Promise<readonly [Server, Server]> {
  const one = await startServer(t, first);
  return [one, first === second ? one : await startServer(t, second)];
}

async function startServer(t: TestContext, storage: Storage): Promise<Server> {
  const wrapped = wrapStorage(storage, {
    async commit(...parameters) {
      const send = server.beforeCommit;
      server.beforeCommit = undefined;
      server.commits++;
      await send?.();
      return storage.commit(...parameters);
    },
  });
  const crm = await testCrm([], { adminAuth, ids: randomUUID, storage: wrapped });
  const server: Server = { ...crm, beforeCommit: undefined, commits: 0 };
  t.after(() => crm.api.close());
  return server;
}

/** Loads another tenant, whose API key has been used: the first use causes a commit. */
async function loadTenant({ storage, clock, send, api }: Server) {
  const tenant = raceTenant(++tenants);
  await loadTenantFile(storage, tenant.file, { clock, newId: randomUUID });
  await send("GET", "/me", { key: tenant.key });
  await api.idle();
  return tenant;
}

/** Runs a change of the settings and a write of a record in this order. Returns the violations. */
async function race(
  [setUpServer, recordServer]: readonly [Server, Server],
  setUpName: string,
  op: string,
  order: (typeof orders)[number],
): Promise<readonly string[]> {
  const { storage } = setUpServer;
  const tenant = await loadTenant(recordServer);
  const { [setUpName]: setUp } = setUpOperations(tenant);
  assert.ok(setUp);
  const { method, path, body } = recordOperations(tenant)[op as "create"];
  const send = adminOf(setUpServer, tenant.id, tenant.admin);
  const results: Result[] = [];
  const change: Send = async () => {
    const result = await send(setUp.method, setUp.path, setUp.body === undefined ? {} : { body: setUp.body });
    results.push(result);
    return result;
  };
  const write: Send = async () => {
    const result = await recordServer.send(method, path, { key: tenant.key, body });
    results.push(result);
    return result;
  };
  if (order === orders[0]) recordServer.beforeCommit = change;
  if (order === orders[1]) setUpServer.beforeCommit = write;
  await Promise.all(order === orders[0] ? [write()] : order === orders[1] ? [change()] : [change(), write()]);
  assert.equal(results.length, 2, "both operations run");
  for (const { status, text } of results) assert.ok(status < 500, text);
  // The operation that commits first succeeds.
  const [first] = results as [Result];
  if (order !== "both at once") assert.ok(first.status < 300, `${op}, ${order}: ${first.text}`);
  const changedAt = await changeTime(storage, tenant.id, setUp);
  if (changedAt === undefined) return [];
  const opportunities = await storage.list(tenant.id, "opportunity", {});
  const violating = opportunities.filter((opportunity) => setUp.isViolated({ opportunity, changedAt, op }));
  return violating.map(({ id }) => `${op}, ${order}: ${id}, ${results.map(({ text }) => text).join(" ")}`);
}
