import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { hashKey } from "../../../lib/auth/api-key.ts";
import { type Storage, StorageUnavailable, wrapStorage } from "../../../lib/index.ts";
import { updateWrite } from "../../../lib/storage/contract/records.ts";
import { loadTenantFile } from "../../../lib/tenant-file/index.ts";
import { sequentialIds, TestClock, testCrm } from "../../support/harness.ts";
import { verdict } from "../../support/responses.ts";
import { freshStorage } from "../../support/storages.ts";
import { edited } from "../../support/tenant-file-edit.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const two = testTenant(2);

/** Methods of a storage that act differently after its first tenant has archived the integration. */
type Methods = (base: Storage, isArchived: () => boolean) => Partial<Storage>;

/**
 * Opens an API and creates a task. `archive` archives the integration, and `post` sends the same request again: the
 * stored response is read before the API key is known to be invalid.
 */
async function openCrm(t: TestContext, methods: Methods = () => ({})) {
  const base = await freshStorage();
  let isArchived = false;
  const storage = wrapStorage(
    base,
    methods(base, () => isArchived),
  );
  const crm = await testCrm([one], { storage });
  t.after(() => crm.api.close());
  const headers = { "idempotency-key": randomUUID() };
  const post = () => crm.send("POST", "/tasks", { key: one.key, headers, body: { title: "Call" } });
  assert.equal((await post()).status, 201);
  const archive = async () => {
    const integration = await base.get(one.id, "integration", one.integration);
    assert.ok(integration);
    const now = crm.clock.now();
    await base.commit(one.id, now, (at) => [
      updateWrite("integration", integration, { archivedAt: at, updatedAt: at }),
    ]);
    isArchived = true;
  };
  return { base, post, archive };
}

test("an API key that is invalid by now gets no stored response", async (t) => {
  const { post, archive } = await openCrm(t);
  assert.equal((await post()).headers.get("idempotent-replayed"), "true");
  await archive();
  assert.equal(verdict(await post()), "401 unauthorized");
});

test("an invalid API key is rejected if its stored response can't be read", async (t) => {
  const { post, archive } = await openCrm(t, (base, isArchived) => ({
    get: async (tenant, kind, id) => {
      if (kind === "idempotencyRecord" && isArchived()) throw new StorageUnavailable("Failed.");
      return base.get(tenant, kind, id);
    },
  }));
  await archive();
  assert.equal(verdict(await post()), "401 unauthorized");
});

test("an API key that another tenant has by now gets no stored response of the first", async (t) => {
  const { base, post, archive } = await openCrm(t, (storage, isArchived) => ({
    findApiKey: async (hash) => {
      if (!isArchived() || hash !== hashKey(one.key)) return storage.findApiKey(hash);
      const found = await storage.findApiKey(hashKey(two.key));
      return found && { ...found, hash };
    },
  }));
  const file = edited(tenantFile(two), { "/integrations/0/id": one.integration });
  await loadTenantFile(base, file, { clock: new TestClock(), newId: sequentialIds() });
  await archive();
  const created = await post();
  assert.equal(created.headers.get("idempotent-replayed"), null, created.text);
  assert.equal(verdict(created), "201");
});
