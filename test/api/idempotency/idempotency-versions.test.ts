import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { isSameRequest } from "../../../lib/api/idempotency.ts";
import { testCrm } from "../../support/harness.ts";
import { errorOf } from "../../support/responses.ts";
import { testTenant } from "../../support/tenants.ts";

const tenant = testTenant(1);
const { send, api, storage, clock } = await testCrm([tenant]);
after(() => api.close());

/** Requests, and their fingerprints of version 1. They never change, so that a retry works after an upgrade. */
const released: readonly (readonly [path: string, body: string, fingerprint: string])[] = [
  [
    "/tasks",
    '{"title":"Call","priority":"high"}',
    "1:ffdd163936251d321c17afc9264e80d6142edc7406984a21ec102f7e55ee1e69",
  ],
  [
    "/tasks",
    '{ "priority": "high", "title": "Call" }',
    "1:ffdd163936251d321c17afc9264e80d6142edc7406984a21ec102f7e55ee1e69",
  ],
  [
    "/accounts",
    '{"name":"Zoë 株式会社 \\ud83d\\ude00","address":{"city":"Århus","country":null}}',
    "1:8c4aff419098ed711bebc8ee67d05e3bb739ace38d33db0578acdda36cdc100e",
  ],
  [
    "/contacts/upsert?matchBy=email",
    '{"name":"Ana","email":"ana@acme.example"}',
    "1:ed7882f03bf87b633c40cf17e4aff3b5cd71a4c763fe2c0f256e68749e4e4eb9",
  ],
  [
    "/opportunities",
    '{"name":"Renewal","amount":1.50e2}',
    "1:3d90610cbdfd351db37dd4e02d9fed49bf0fdac37b294349fc55f4995b4895da",
  ],
];

async function fingerprintOf(path: string, raw: string): Promise<string | undefined> {
  const key = randomUUID();
  const headers = { "idempotency-key": key };
  await send("POST", path, { key: tenant.key, headers, raw });
  const records = await storage.list(tenant.id, "idempotencyRecord", {});
  return records.find(({ id }) => id.endsWith(key))?.fingerprint;
}

for (const [path, body, fingerprint] of released)
  test(`the fingerprint of POST ${path} ${body} is the released one`, async () => {
    assert.equal(await fingerprintOf(path, body), fingerprint);
  });

test("a stored fingerprint is compared with the fingerprint of its version", () => {
  const versions = { "1": () => "old", "2": ({ path }: { path: string }) => path };
  const request = { method: "POST", path: "/tasks", query: {}, body: {} };
  assert.equal(isSameRequest("1:old", request, versions), true);
  assert.equal(isSameRequest("2:/tasks", request, versions), true);
  for (const stored of ["1:/tasks", "2:old", "3:old", "old", "", "toString:old"])
    assert.equal(isSameRequest(stored, request, versions), false, stored);
});

test("a key that a newer version of the program stored is rejected and creates nothing", async () => {
  const key = randomUUID();
  const post = () =>
    send("POST", "/tasks", { key: tenant.key, headers: { "idempotency-key": key }, body: { title: "Once" } });
  assert.equal((await post()).status, 201);
  const records = await storage.list(tenant.id, "idempotencyRecord", {});
  const record = records.find(({ id }) => id.endsWith(key)) ?? assert.fail("no record");
  await storage.commit(tenant.id, clock.now(), (at) => [
    {
      op: "update",
      kind: "idempotencyRecord",
      record: { ...record, fingerprint: `2:${record.fingerprint.slice(2)}`, updatedAt: at },
      expectedUpdatedAt: record.updatedAt,
    },
  ]);
  const tasks = (await storage.list(tenant.id, "task", {})).length;
  assert.equal(errorOf(await post()).code, "idempotency_key_reused");
  assert.equal((await storage.list(tenant.id, "task", {})).length, tasks);
});
