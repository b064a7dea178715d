import assert from "node:assert/strict";
import { test } from "node:test";
import { hashKey, maskKey } from "../../lib/auth/api-key.ts";
import { createApi } from "../../lib/index.ts";
import { entityModels } from "../../lib/model/entities.ts";
import { models } from "../../lib/model/kinds.ts";
import { exportTenantFile } from "../../lib/tenant-file/index.ts";
import { send, TestClock } from "../support/harness.ts";
import { freshStorage } from "../support/storages.ts";
import { edited, fixture, listIn, load, recordsOf, valueAt } from "../support/tenant-file-edit.ts";

const demo = fixture("demo");
const tenantId = String(valueAt(demo, "/tenant/id"));
const key = String(valueAt(demo, "/integrations/0/keys/0/key"));

/** The demo in a storage, its export, a storage that the export was loaded into, and the export of that. */
async function roundTrip() {
  const original = await freshStorage();
  await load(original, demo);
  const file = await exportTenantFile(original, tenantId);
  const copy = await freshStorage();
  const loaded = await load(copy, JSON.parse(JSON.stringify(file)));
  return { original, file, copy, loaded, again: await exportTenantFile(copy, tenantId) };
}

test("a loaded export has the same records", async () => {
  const { original, copy, file, again, loaded } = await roundTrip();
  assert.deepEqual(again, file);
  assert.deepEqual(await recordsOf(copy, tenantId), await recordsOf(original, tenantId));
  assert.deepEqual(loaded, { created: true, tenantId, name: "Fjordlys Coffee Equipment", keys: [] });
  await original.close();
  await copy.close();
});

test("an export contains every record, including archived ones", async () => {
  const { original, copy, file } = await roundTrip();
  const lists = ["users", "pipelines", "customFields", "rules", "integrations", "grants"];
  for (const name of [...lists, ...Object.values(entityModels).map(({ plural }) => plural)]) {
    const ids = (of: unknown) => listIn(of, name).map(({ id }) => String(id));
    assert.deepEqual(ids(file).toSorted(), ids(demo).toSorted(), name);
  }
  const archived = listIn(file, "accounts").filter((account) => account.archivedAt !== undefined);
  const none = Object.fromEntries(Object.keys(models.account.fields).map((name) => [name, null]));
  const address = { street: null, city: "Göteborg", state: null, postalCode: null, country: "Sweden" };
  assert.deepEqual(archived, [{ ...none, ...listIn(demo, "accounts")[29], address }]);
  await original.close();
  await copy.close();
});

test("an export contains only hashes of API keys, which work after a load", async () => {
  const { original, copy, file } = await roundTrip();
  const { key: _, ...known } = listIn(listIn(demo, "integrations")[0], "keys")[0] ?? {};
  const hidden = { hash: hashKey(key), maskedKey: maskKey(key), lastUsedAt: null, expiresAt: null, revokedAt: null };
  assert.deepEqual(listIn(listIn(file, "integrations")[0], "keys"), [{ ...known, ...hidden }]);
  assert.equal(JSON.stringify(file).includes(key), false);

  const api = createApi({ storage: copy, clock: new TestClock() });
  const { status, body } = await send(api, "GET", "/tasks?limit=1", { key });
  assert.deepEqual([status, listIn(body, "data").length], [200, 1]);
  const revoked = String(valueAt(demo, "/integrations/2/keys/0/key"));
  assert.equal((await send(api, "GET", "/me", { key: revoked })).status, 401);
  await api.close();
  await original.close();
});

test("an export contains changes made through the API", async () => {
  const storage = await freshStorage();
  await load(storage, demo);
  const api = createApi({ storage, clock: new TestClock() });
  const made = await send(api, "POST", "/tasks", { key, body: { title: "Made since" } });
  const file = await exportTenantFile(storage, tenantId);
  const last = listIn(file, "tasks").at(-1);
  assert.deepEqual(last, valueAt(made.body, "/data"));
  await api.close();
});

test("expired API keys don't count as active in an export", async () => {
  const hashed = (sign: string, more = {}) => ({ hash: sign.repeat(64), maskedKey: `crm_live_${sign}`, ...more });
  const expiresAt = "2026-02-01T00:00:00.000Z";
  const keys = [hashed("1", { expiresAt }), hashed("2", { expiresAt }), hashed("3"), hashed("4")];
  const storage = await freshStorage();
  assert.equal((await load(storage, edited(demo, { "/integrations/1/keys": keys }))).created, true);
  await storage.close();
});

test("exportTenantFile() returns undefined for an unknown tenant", async () => {
  const storage = await freshStorage();
  await load(storage, demo);
  assert.equal(await exportTenantFile(storage, String(valueAt(demo, "/users/0/id"))), undefined);
  await storage.close();
});
