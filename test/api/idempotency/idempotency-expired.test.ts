import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { testCrm } from "../../support/harness.ts";
import { dataOf, errorOf, verdict } from "../../support/responses.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { key } = one;
const { send, api, clock } = await testCrm([one]);
after(() => api.close());

test("POST under an Idempotency-Key that has expired returns its own 409 duplicate", async () => {
  const headers = { "idempotency-key": randomUUID() };
  const post = (email: string) => send("POST", "/contacts", { key, headers, body: { name: "Ivo", email } });
  const { id } = dataOf<{ id: string }>(await post("ivo@example.com"), 201);
  clock.advance(24 * 60 * 60 * 1000);
  const second = await post("ivo@example.com");
  assert.deepEqual([verdict(second), errorOf(second).details], ["409 duplicate", { existingId: id, field: "email" }]);
  assert.equal((await post("ivo2@example.com")).status, 201);
});
