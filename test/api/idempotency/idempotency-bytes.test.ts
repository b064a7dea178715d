import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { type Result, testCrm } from "../../support/harness.ts";
import { verdict } from "../../support/responses.ts";
import { testTenant } from "../../support/tenants.ts";

const [one, two] = [testTenant(1), testTenant(2)];
const { send, api } = await testCrm([one, two]);
after(() => api.close());

/** Sends POSTs with one idempotency key. They are byte-identical unless the options differ. */
function postUnder(id: string) {
  return (headers: Readonly<Record<string, string>> = {}, path = "/tasks", raw = '{"title":"Call"}') =>
    send("POST", path, { key: one.key, raw, headers: { "idempotency-key": id, ...headers } });
}

function assertReplay(replay: Result, first: Result): void {
  assert.deepEqual([replay.status, replay.text], [first.status, first.text]);
  assert.equal(replay.headers.get("idempotent-replayed"), "true");
}

test("a byte-identical request is replayed, but not with another Content-Type or Content-Encoding", async () => {
  const again = postUnder(randomUUID());
  const first = await again();
  assertReplay(await again(), first);
  assertReplay(await again({ "content-type": "application/json; charset=utf-8" }), first);
  const invalid: readonly [string, Parameters<typeof again>][] = [
    ["415 bad_request", [{ "content-type": "text/plain" }]],
    ["415 bad_request", [{ "content-encoding": "gzip" }]],
    ["422 invalid_reference: x-tenant-id not_found", [{ "x-tenant-id": two.id }]],
    ["422 invalid_reference: ?tenantId not_found", [{}, `/tasks?tenantId=${two.id}`]],
    ["400 validation_error: ?tenantId invalid_format", [{}, "/tasks?tenantId=%FF"]],
  ];
  for (const [expected, sent] of invalid) assert.equal(verdict(await again(...sent)), expected);
});
