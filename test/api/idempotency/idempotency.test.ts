import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { wrapStorage } from "../../../lib/index.ts";
import type { Scope } from "../../../lib/model/integration.ts";
import { memoryStorage } from "../../../lib/storage/memory.ts";
import { type Result, type Sent, testCrm } from "../../support/harness.ts";
import { dataOf, errorOf, type ShownTask, verdict } from "../../support/responses.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const two = testTenant(2);
const { send, api, storage, clock } = await testCrm([one, two]);
const body = { title: "Call", priority: "high" };
const reused = "422 idempotency_key_reused";

after(() => api.close());

/** A POST under an idempotency key. */
function post(idempotencyKey: string, sent: Sent & { readonly path?: string } = {}) {
  const { path = "/tasks", key = one.key, headers: more, ...content } = sent;
  const headers = { "idempotency-key": idempotencyKey, ...more };
  return send("POST", path, { key, headers, ...("raw" in content ? content : { body, ...content }) });
}

function assertReplay(replay: Result, first: Result): void {
  const headerNames = ["location", "content-type"];
  const parts = ({ status, text, headers }: Result) => [status, text, ...headerNames.map((name) => headers.get(name))];
  assert.deepEqual(parts(replay), parts(first));
  const replayed = ({ headers }: Result) => headers.get("idempotent-replayed");
  assert.deepEqual([replayed(first), replayed(replay)], [null, "true"]);
}

async function tasksOf(key: string): Promise<readonly ShownTask[]> {
  return dataOf(await send("GET", "/tasks?limit=200", { key }));
}

async function setScopes(integrationId: string, scopes: Scope[]): Promise<void> {
  const found = await storage.get(one.id, "integration", integrationId);
  if (found === undefined) assert.fail("there is no such integration");
  await storage.commit(one.id, clock.now(), (at) => [
    {
      op: "update",
      kind: "integration",
      record: { ...found, scopes, updatedAt: at },
      expectedUpdatedAt: found.updatedAt,
    },
  ]);
}

test("a repeated POST returns the same response and creates nothing", async () => {
  clock.advance(60_000);
  const id = randomUUID();
  const first = await post(id);
  assert.equal(first.status, 201);
  const before = await tasksOf(one.key);
  clock.advance(5_000);
  const replay = await post(id);
  assertReplay(replay, first);
  assert.deepEqual(await tasksOf(one.key), before);
});

test("a replay has its own request ID and rate limit headers", async () => {
  clock.advance(60_000);
  const id = randomUUID();
  const first = await post(id);
  clock.advance(1_000);
  const replay = await post(id);
  assert.notEqual(replay.headers.get("x-request-id"), first.headers.get("x-request-id"));
  const rate = ({ headers }: Result) => [headers.get("x-ratelimit-remaining"), headers.get("x-ratelimit-reset")];
  const reset = clock.now() / 1000 + 60;
  assert.deepEqual(
    [rate(first), rate(replay)],
    [
      ["299", `${reset - 1}`],
      ["298", `${reset}`],
    ],
  );
});

test("white space, the order of keys and escapes don't matter", async () => {
  clock.advance(60_000);
  const id = randomUUID();
  const relatedTo = { type: "contact", id: one.contact };
  const first = await post(id, { body: { ...body, relatedTo } });
  const turned = { relatedTo: { id: one.contact, type: "contact" }, priority: "high", title: "Call" };
  assertReplay(await post(id, { raw: JSON.stringify(turned, null, 4) }), first);
  const escaped = JSON.stringify(turned).replace('"Call"', '"\\u0043all"');
  assertReplay(await post(id, { raw: escaped }), first);
});

test("POST returns 422 if an idempotency key is reused with another body, path or query", async () => {
  clock.advance(60_000);
  const id = randomUUID();
  const usedAt = new Date(clock.now()).toISOString();
  const { id: task } = dataOf(await post(id), 201);
  clock.advance(5_000);
  const before = await tasksOf(one.key);
  const others = [
    { body: { ...body, title: "Write" } },
    { body: { title: "Call" } },
    { body: { ...body, description: null } },
    { path: `/tasks/${task}/restore`, body: {} },
    { path: `/tasks?tenantId=${one.id}` },
  ];
  for (const other of others) {
    const rejected = await post(id, other);
    assert.equal(verdict(rejected), reused, JSON.stringify(other));
    const message = `This Idempotency-Key was already used for POST /tasks at ${usedAt}. Use a new key.`;
    const details = { method: "POST", path: "/tasks", usedAt };
    assert.deepEqual(errorOf(rejected), { code: "idempotency_key_reused", message, details });
  }
  assert.deepEqual(await tasksOf(one.key), before);
});

test("the same body for another record is another request", async () => {
  clock.advance(60_000);
  const [first, second] = [dataOf(await post(randomUUID()), 201), dataOf(await post(randomUUID()), 201)];
  const id = randomUUID();
  assert.equal((await post(id, { path: `/tasks/${first.id}/restore`, body: {} })).status, 200);
  assert.equal(verdict(await post(id, { path: `/tasks/${second.id}/restore`, body: {} })), reused);
});

test("POST /tasks/{id}/restore without a body is the same request as with {}", async () => {
  clock.advance(60_000);
  for (const [first, second] of [
    [{ body: {} }, { body: undefined }],
    [{ body: undefined }, { body: {} }],
  ]) {
    const { id: task } = dataOf(await post(randomUUID()), 201);
    const id = randomUUID();
    const path = `/tasks/${task}/restore`;
    const restored = await post(id, { path, ...first });
    assert.equal(restored.status, 200);
    assertReplay(await post(id, { path, ...second }), restored);
  }
});

test("an idempotency key belongs to the integration: its other API key gets the replay", async () => {
  clock.advance(60_000);
  const id = randomUUID();
  const first = await post(id);
  assertReplay(await post(id, { key: one.secondKey }), first);
});

test("other integrations and tenants can use the same idempotency key", async () => {
  clock.advance(60_000);
  const id = randomUUID();
  await setScopes(one.otherIntegration, ["tasks:read", "tasks:write"]);
  const made = [
    await post(id),
    await post(id, { key: one.readKey, body: { title: "Write" } }),
    await post(id, { key: two.key, body: { title: "Visit" } }),
  ];
  assert.deepEqual(
    made.map((result) => dataOf(result, 201).title),
    ["Call", "Write", "Visit"],
  );
});

test("a rejected request doesn't use up its idempotency key", async () => {
  clock.advance(60_000);
  const id = randomUUID();
  const rejections = {
    "400 bad_request": { raw: "{" },
    "400 validation_error: /titel unknown_key": { body: { ...body, titel: "x" } },
    "422 invalid_reference: /assignedTo not_found": { body: { ...body, assignedTo: two.member } },
    "404 not_found": { path: `/tasks/${randomUUID()}/restore`, body: {} },
    "401 unauthorized": { key: one.revokedKey },
  };
  for (const [expected, sent] of Object.entries(rejections)) assert.equal(verdict(await post(id, sent)), expected);
  const made = await post(id);
  assert.deepEqual([made.status, made.headers.get("idempotent-replayed")], [201, null]);
});

test("a replay returns the first response even if the record has changed", async () => {
  clock.advance(60_000);
  const id = randomUUID();
  const first = await post(id);
  await send("PATCH", `/tasks/${dataOf(first, 201).id}`, { key: one.key, body: { title: "Write" } });
  await send("DELETE", `/tasks/${dataOf(first, 201).id}`, { key: one.key });
  assertReplay(await post(id), first);
});

for (const before of ["archived", "not archived"]) {
  test(`restoring a task that was ${before} is replayed: a task archived again stays archived`, async () => {
    clock.advance(60_000);
    const { id: task } = dataOf(await post(randomUUID()), 201);
    const path = `/tasks/${task}/restore`;
    const id = randomUUID();
    if (before === "archived") await send("DELETE", `/tasks/${task}`, { key: one.key });
    const first = await post(id, { path, body: {} });
    assert.equal(first.status, 200);
    await send("DELETE", `/tasks/${task}`, { key: one.key });
    assertReplay(await post(id, { path, body: {} }), first);
    assert.equal((await send("GET", `/tasks/${task}`, { key: one.key })).status, 404);
  });
}

test("API key, rate limit and scope are checked before a replay", async () => {
  clock.advance(60_000);
  const [first, second] = [randomUUID(), randomUUID()];
  await setScopes(one.otherIntegration, ["tasks:read", "tasks:write"]);
  assert.equal((await post(first, { key: one.readKey })).status, 201);
  await setScopes(one.otherIntegration, ["tasks:read"]);
  assert.equal(verdict(await post(first, { key: one.readKey })), "403 insufficient_scope");
  assert.equal((await post(second)).status, 201);
  while ((await send("GET", "/me", { key: one.key })).status === 200);
  assert.equal(verdict(await post(second)), "429 rate_limited");
  assert.equal(verdict(await post(second, { key: one.revokedKey })), "401 unauthorized");
});

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

test("a byte-identical request is replayed, but not with another Content-Type or Content-Encoding", async () => {
  clock.advance(60_000);
  const id = randomUUID();
  const raw = '{"title":"Call"}';
  const again = (sent: Parameters<typeof post>[1] = {}) => post(id, { raw, ...sent });
  const first = await again();
  assertReplay(await again(), first);
  assertReplay(await again({ headers: { "content-type": "application/json; charset=utf-8" } }), first);
  const invalid: readonly [string, Parameters<typeof again>[0]][] = [
    ["415 bad_request", { headers: { "content-type": "text/plain" } }],
    ["415 bad_request", { headers: { "content-encoding": "gzip" } }],
    ["422 invalid_reference: x-tenant-id not_found", { headers: { "x-tenant-id": two.id } }],
    ["422 invalid_reference: ?tenantId not_found", { path: `/tasks?tenantId=${two.id}` }],
    ["400 validation_error: ?tenantId invalid_format", { path: "/tasks?tenantId=%FF" }],
  ];
  for (const [expected, sent] of invalid) assert.equal(verdict(await again(sent)), expected);
});

test("POST under an Idempotency-Key that has expired returns its own 409 duplicate", async () => {
  clock.advance(60_000);
  const idempotencyKey = randomUUID();
  const create = (email: string) => post(idempotencyKey, { path: "/contacts", body: { name: "Ivo", email } });
  const { id } = dataOf<{ id: string }>(await create("ivo@example.com"), 201);
  clock.advance(24 * 60 * 60 * 1000);
  const second = await create("ivo@example.com");
  assert.deepEqual([verdict(second), errorOf(second).details], ["409 duplicate", { existingId: id, field: "email" }]);
  assert.equal((await create("ivo2@example.com")).status, 201);
});

test("a replay reads only the stored response and runs no host rule", async () => {
  const memory = memoryStorage();
  const reads: string[] = [];
  const storage = wrapStorage(memory, {
    get: (tenant, kind, id) => {
      reads.push(kind);
      return memory.get(tenant, kind, id);
    },
    list: (tenant, kind, query) => {
      reads.push(kind);
      return memory.list(tenant, kind, query);
    },
  });
  let ruleCalls = 0;
  const rule = (): [] => {
    if (++ruleCalls > 1) throw new TypeError("The rule ran again.");
    return [];
  };
  const crm = await testCrm([one], { storage, rules: { task: [rule] } });
  const headers = { "idempotency-key": randomUUID() };
  const related = { ...body, relatedTo: { type: "account", id: one.account } };
  const create = () => crm.send("POST", "/tasks", { key: one.key, headers, body: related });
  const first = await create();
  assert.equal(first.status, 201);
  assert.ok(reads.includes("account"));
  // The request would be invalid now.
  assert.equal((await crm.send("DELETE", `/accounts/${one.account}`, { key: one.key })).status, 204);
  reads.length = 0;
  assertReplay(await create(), first);
  assert.deepEqual([reads, ruleCalls], [["idempotencyRecord"], 1]);
  await crm.api.close();
});
