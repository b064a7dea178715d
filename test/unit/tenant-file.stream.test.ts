import assert from "node:assert/strict";
import { test } from "node:test";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { checkTenantFile, exportTenantFile, streamTenantFile, TenantFileError } from "../../lib/tenant-file/index.ts";
import { sequentialIds, TestClock } from "../support/harness.ts";
import { edited, fixture, load, recordsOf, valueAt } from "../support/tenant-file-edit.ts";

const demo = fixture("demo");
const tenantId = String(valueAt(demo, "/tenant/id"));
const tools = { clock: new TestClock(), newId: sequentialIds() };

async function streamed(storage: Parameters<typeof streamTenantFile>[0], id: string): Promise<unknown> {
  let text = "";
  for await (const piece of (await streamTenantFile(storage, id)) ?? assert.fail()) text += piece;
  return JSON.parse(text);
}

test("streamTenantFile() returns the same file as exportTenantFile()", async () => {
  const tasks = Array.from({ length: 1_203 }, (_, index) => ({ title: `Task ${index}` }));
  const storage = sqliteStorage({ file: ":memory:" });
  await load(storage, edited(demo, { "/tasks": tasks }));
  const whole = await exportTenantFile(storage, tenantId);
  assert.deepEqual(await streamed(storage, tenantId), whole);
  await storage.close();
});

test("a loaded stream has the same records", async () => {
  const [one, two] = [sqliteStorage({ file: ":memory:" }), sqliteStorage({ file: ":memory:" })];
  await load(one, demo);
  await load(two, await streamed(one, tenantId));
  assert.deepEqual(await recordsOf(two, tenantId), await recordsOf(one, tenantId));
  await one.close();
  await two.close();
});

test("streamTenantFile() exports an empty tenant and returns undefined for an unknown one", async () => {
  const storage = sqliteStorage({ file: ":memory:" });
  await load(storage, { tenant: { id: tenantId, name: "Bare" } });
  assert.deepEqual(await streamed(storage, tenantId), await exportTenantFile(storage, tenantId));
  assert.equal(await streamTenantFile(storage, tools.newId()), undefined);
  await storage.close();
});

test("checkTenantFile() reports the same errors as a load and writes nothing", async () => {
  const storage = sqliteStorage({ file: ":memory:" });
  const records = Object.values(await recordsOf(storage, tenantId)).flat();
  const looked = await checkTenantFile(storage, demo, tools);
  assert.deepEqual([looked.exists, looked.tenantId, looked.name], [false, tenantId, "Fjordlys Coffee Equipment"]);
  assert.deepEqual(Object.values(await recordsOf(storage, tenantId)).flat(), records);
  await load(storage, demo);
  assert.equal(looked.records, Object.values(await recordsOf(storage, tenantId)).flat().length);
  assert.deepEqual(await checkTenantFile(storage, demo, tools), { ...looked, exists: true });
  const other = edited(demo, { "/tenant/id": tools.newId() });
  await assert.rejects(checkTenantFile(storage, other, tools), (error) => {
    assert.ok(error instanceof TenantFileError);
    const paths = error.issues.map(({ problem }) => problem.path);
    assert.deepEqual(paths, ["/integrations/0/keys/0/key", "/integrations/1/keys/0/key", "/integrations/2/keys/0/key"]);
    return true;
  });
  await checkTenantFile(undefined, other, tools);
  await storage.close();
});
