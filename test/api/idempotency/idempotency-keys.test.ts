import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { type Result, testCrm } from "../../support/harness.ts";
import { errorOf, verdict } from "../../support/responses.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { send, api, clock } = await testCrm([one]);

after(() => api.close());

function post(idempotencyKey: string): Promise<Result> {
  return send("POST", "/tasks", {
    key: one.key,
    headers: { "idempotency-key": idempotencyKey },
    body: { title: "Call" },
  });
}

function assertReplay(replay: Result, first: Result): void {
  assert.deepEqual([replay.status, replay.text], [first.status, first.text]);
  assert.equal(replay.headers.get("idempotent-replayed"), "true");
}

test("an idempotency key can be a UUID, with or without quotes, in any case", async () => {
  clock.advance(60_000);
  const id = randomUUID();
  const first = await post(id.toUpperCase());
  for (const written of [id, `"${id}"`, `"${id.toUpperCase()}"`, ` ${id} `]) assertReplay(await post(written), first);
});

test("an idempotency key can be any printable ASCII text of 1 to 255 characters", async () => {
  clock.advance(60_000);
  const base = randomUUID();
  const long = `${base}${"x".repeat(255 - base.length)}`;
  for (const key of [long, `order ${base}`, `{${base}}`, `'${base}'`, `"${base}x`, `a, "b" ${base}`]) {
    const first = await post(key);
    assert.equal(first.status, 201, key);
    assertReplay(await post(key), first);
  }
  const first = await post(`Order-${base}`);
  assertReplay(await post(`"Order-${base}"`), first);
  const other = await post(`order-${base}`);
  assert.deepEqual([other.status, other.headers.get("idempotent-replayed")], [201, null]);
});

test("POST returns 400 if the idempotency key is empty, too long or not printable ASCII", async () => {
  clock.advance(60_000);
  for (const written of ["", "  ", '""', "x".repeat(256), "Bestellung-\u00fc", "a\tb"]) {
    const rejected = await post(written);
    assert.equal(verdict(rejected), "400 validation_error: Idempotency-Key invalid_format", written);
    const [start, hint] = ["Idempotency-Key ", " Send a new UUID for each operation, or omit the header."];
    const problem = /^(""|\s*)$/.test(written) ? "is empty." : "must have 1 to 255 printable ASCII characters.";
    assert.equal(errorOf(rejected).message, start + problem + hint);
  }
});
