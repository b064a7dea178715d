import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { signAdminToken } from "../lib/auth/admin-token.ts";
import { hashOf } from "../lib/auth/api-key.ts";
import { type Endpoint, uuidV7, type Write } from "../lib/index.ts";
import { type Kind, models } from "../lib/records/kinds.ts";
import { exportTenantFile } from "../lib/tenant-file/index.ts";
import { substance, verdict } from "./answers.ts";
import { type Result, testCrm } from "./harness.ts";
import { type Tenant, testTenant } from "./tenants.ts";

const one = testTenant(1);
const two = testTenant(2);
const adminAuth = { issuer: "tests", audience: "crm", secret: Buffer.alloc(32, 1) };
const { send, api, storage, clock } = await testCrm([one, two], { adminAuth });
const unknown = "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11";
const seconds = clock.now() / 1000;
const times = { issuedAt: seconds, expiresAt: seconds + 86_400 };
const token = await signAdminToken(adminAuth, { tenantId: one.id, userId: one.admin }, times);

beforeEach(() => clock.advance(60_000));
after(() => api.close());

const malformed = [
  "1",
  "null",
  "%00",
  "%ff",
  "..%2F..%2Fme",
  "__proto__",
  "*",
  `{${unknown}}`,
  `${unknown}%20`,
  unknown.slice(1),
];

/** Sends the request that the endpoint is for, with this id in its path. */
function ask(endpoint: Endpoint, id: string): Promise<Result> {
  const { entries = {} } = (endpoint.body ?? {}) as { entries?: Record<string, unknown> };
  const field = endpoint.method === "PATCH" ? Object.keys(entries)[0] : undefined;
  const body = field === undefined ? {} : { [field]: "Taken over" };
  const path = endpoint.path.replace(":id", id);
  const sent = endpoint.body === undefined ? {} : { body };
  if (endpoint.access !== "admin") return send(endpoint.method, path, { key: one.key, ...sent });
  const headers = { authorization: `Bearer ${token}` };
  return send(endpoint.method, `http://crm.test/integrations${path}`, { headers, ...sent });
}

/** The kind of record whose id stands in the path: `/tasks/:id` is of a task. */
function kindOf({ path }: Endpoint): Kind {
  const segment = path.split("/")[1];
  if (segment === "api-key") return "apiKey";
  const found = Object.values(models).find(({ plural }) => plural === segment);
  return found?.kind ?? assert.fail(`${path}: teach this test which record the id is of`);
}

/** The ids of one record of the tenant and of an archived copy of it. */
async function idsOf(tenant: Tenant, kind: Kind): Promise<{ existing: string; archived: string }> {
  const records = await storage.list(tenant.id, kind, { archived: true });
  const record = records.find(({ archivedAt }) => archivedAt === null) ?? records[0];
  if (record === undefined) assert.fail(`the test tenant has no ${kind}`);
  const id = uuidV7(clock.now());
  await storage.commit(tenant.id, clock.now(), (at) => {
    const copy = { ...record, id, updatedAt: at, archivedAt: at, ...(kind === "apiKey" ? { hash: hashOf(id) } : {}) };
    return [{ op: "insert", kind, record: copy } as unknown as Write];
  });
  return { existing: record.id, archived: id };
}

const withId = api.endpoints.filter(({ path }) => path.includes(":"));

for (const endpoint of withId) {
  test(`${endpoint.name} answers every id that is not the tenant's own in the same way, and changes nothing`, async () => {
    const kind = kindOf(endpoint);
    const foreign = await idsOf(two, kind);
    const own = await idsOf(one, kind);
    const before = await exportTenantFile(storage, two.id);
    const expected = await ask(endpoint, unknown);
    assert.equal(verdict(expected), "404 not_found");
    const gone = endpoint.path.endsWith("/restore") ? [] : [own.archived];
    for (const id of [foreign.existing, foreign.existing.toUpperCase(), foreign.archived, ...gone, ...malformed]) {
      assert.deepEqual(substance(await ask(endpoint, id)), substance(expected), id);
    }
    assert.deepEqual(await exportTenantFile(storage, two.id), before);
  });
}

test("each of these requests does succeed with an id of the tenant", async () => {
  for (const endpoint of withId) {
    const { existing, archived } = await idsOf(one, kindOf(endpoint));
    const result = await ask(endpoint, endpoint.path.endsWith("/restore") ? archived : existing);
    assert.ok(result.status < 300, `${endpoint.name}: ${result.text}`);
  }
});
