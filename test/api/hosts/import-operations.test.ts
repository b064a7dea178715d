import assert from "node:assert/strict";
import { after, test } from "node:test";
import { scopes, type UntypedOperations } from "../../../lib/index.ts";
import { testCrm } from "../../support/harness.ts";
import { testTenant } from "../../support/tenants.ts";

const tenant = testTenant(1);
const { id: tenantId, key } = tenant;
const { api, send, storage } = await testCrm([tenant]);
after(() => api.close());

const idOf = (row: number): string => `0197a3c2-7b1e-8cc0-8d3f-${row.toString(16).padStart(12, "0")}`;

async function importAccounts(operations: readonly unknown[]): Promise<readonly string[]> {
  const operation = (api.operations as unknown as UntypedOperations).importAccounts as UntypedOperations[string];
  const { body } = await operation({ caller: { tenantId, scopes }, body: { operations } });
  const { data } = body as { data: readonly { result?: string; error?: { code: string } }[] };
  return data.map(({ result, error }) => result ?? error?.code ?? "");
}

test("importAccounts creates 512 records with the given IDs, and none of them twice", async () => {
  const operations = Array.from({ length: 512 }, (_, row) => ({
    ...{ op: "create", newId: idOf(row) },
    data: { name: `Imported ${row}` },
  }));
  assert.deepEqual(new Set(await importAccounts(operations)), new Set(["created"]));
  assert.equal((await storage.get(tenantId, "account", idOf(7)))?.name, "Imported 7");
  const count = async () => (await storage.list(tenantId, "account", { includeArchived: true })).length;
  const before = await count();
  assert.deepEqual(new Set(await importAccounts(operations)), new Set(["unchanged"]));
  assert.equal((await send("DELETE", `/accounts/${idOf(7)}`, { key })).status, 204);
  const again = [operations[7], { op: "create", newId: idOf(600), data: { name: "Imported 8" } }, operations[9]];
  assert.deepEqual(await importAccounts(again), ["unchanged", "duplicate", "unchanged"]);
  assert.equal(await count(), before);
});

test("two imports of the same rows at the same time create each record once", async () => {
  const operations = Array.from({ length: 50 }, (_, row) => ({
    ...{ op: "create", newId: idOf(1_000 + row) },
    data: { name: `Twice ${row}` },
  }));
  const results = await Promise.all([importAccounts(operations), importAccounts(operations)]);
  assert.deepEqual(results.flat().toSorted(), [...Array(50).fill("created"), ...Array(50).fill("unchanged")]);
});

test("a batch over HTTP rejects the IDs of new records", async () => {
  const body = { operations: [{ op: "create", newId: idOf(2_000), data: { name: "HTTP" } }] };
  const { status } = await send("POST", "/accounts/batch", { key, body });
  assert.equal(status, 400);
});
