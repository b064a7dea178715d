import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Item, itemsOf, type Operation, sendSingle } from "../../support/batches.ts";
import { errorOf, one, openCrm, verdict } from "../../support/crm.ts";
import type { Result } from "../../support/harness.ts";
import { seed } from "../../support/seed.ts";
import type { Edits } from "../../support/tenant-file-edit.ts";

const rules: Edits = { "/rules": [{ entity: "account", field: "phone" }] };
const crm = await openCrm(rules);
const { call, create, read } = crm;
const outcomes = (result: Result) =>
  itemsOf(result).map(({ status, result: what, error }) => `${status} ${what ?? error?.code}`);

test("POST /accounts/batch runs the operations in order and returns one item for each", async () => {
  const [renamed, archived] = [
    await create("/accounts", { name: "Old", phone: "1" }),
    await create("/accounts", { name: "Gone", phone: "1" }),
  ];
  const result = await call("POST", "/accounts/batch", {
    operations: [
      { op: "update", id: renamed.id, data: { name: "New" } },
      { op: "create", data: { name: "Old", phone: "2" } },
      { op: "archive", id: archived.id },
      { op: "upsert", matchBy: "name", data: { name: "gone", phone: "3" } },
      { op: "upsert", matchBy: "name", data: { name: "Acme", phone: "4" } },
      { op: "update", id: one.account, data: {} },
    ],
  });
  assert.equal(result.status, 207);
  const expected = ["200 updated", "201 created", "204 archived", "201 created", "200 updated", "409 conflict"];
  assert.deepEqual(outcomes(result), expected);
  assert.deepEqual(
    itemsOf(result).map(({ index }) => index),
    [0, 1, 2, 3, 4, 5],
  );
  for (const { data } of itemsOf(result))
    if (data !== undefined) assert.deepEqual(await read(`/accounts/${data.id}`), data);
  assert.equal(verdict(await call("GET", `/accounts/${archived.id}`)), "404 not_found");
  assert.deepEqual(itemsOf(result)[5]?.error?.details, { reason: "twice_in_batch" });
});

test("a batch whose operations all succeed returns 200, one after another with the same updatedAt", async () => {
  const operations = ["A", "B", "C"].map((name) => ({ op: "create", data: { name } }));
  const result = await call("POST", "/contacts/batch", { operations });
  assert.deepEqual([result.status, outcomes(result)], [200, Array(3).fill("201 created")]);
  assert.deepEqual(
    itemsOf(result).map(({ data }) => data?.name),
    ["A", "B", "C"],
  );
});

test("an upsert of a record that an earlier operation has written returns 409 twice_in_batch", async () => {
  const operations = [
    { op: "create", data: { name: "Twice", phone: "1" } },
    { op: "upsert", matchBy: "name", data: { name: "twice", phone: "2" } },
  ];
  const result = await call("POST", "/accounts/batch", { operations });
  assert.deepEqual(outcomes(result), ["201 created", "409 conflict"]);
  assert.deepEqual(itemsOf(result)[1]?.error?.details, { reason: "twice_in_batch" });
  assert.equal((await read(`/accounts/${itemsOf(result)[0]?.data?.id}`)).phone, "1");
});

test("an operation whose ID differs from an earlier one only in capitals returns 409 twice_in_batch", async () => {
  const { id } = await create("/accounts", { name: "Capitals", phone: "1" });
  // The second one changes nothing.
  const operations = [id, id.toUpperCase()].map((each) => ({ op: "update", id: each, data: { phone: "2" } }));
  const result = await call("POST", "/accounts/batch", { operations });
  assert.deepEqual(outcomes(result), ["200 updated", "409 conflict"]);
  assert.deepEqual(itemsOf(result)[1]?.error?.details, { reason: "twice_in_batch" });
});

test("an update that changes nothing is unchanged, and keeps updatedAt", async () => {
  const before = await create("/accounts", { name: "Same", phone: "1" });
  const operations = [{ op: "update", id: before.id, data: { name: "Same" } }];
  const result = await call("POST", "/accounts/batch", { operations });
  assert.deepEqual(outcomes(result), ["200 unchanged"]);
  assert.deepEqual(itemsOf(result)[0]?.data, before);
});

test("an atomic batch with a failure returns 422 with the failed items and writes nothing", async () => {
  const operations = [
    { op: "create", data: { name: "Atomic", phone: "1" } },
    { op: "create", data: { name: "Acme", phone: "1" } },
  ];
  const rejected = await call("POST", "/accounts/batch", { operations, atomic: true });
  assert.equal(rejected.status, 422);
  const { code, message, details } = errorOf(rejected);
  assert.deepEqual([code, message], ["validation_error", "1 of 2 operations failed. Nothing was written."]);
  const items = (details as unknown as { items: Item[] }).items;
  assert.deepEqual(
    items.map(({ index, status, error }) => [index, status, error?.code]),
    [[1, 409, "duplicate"]],
  );
  assert.deepEqual((await call("GET", "/accounts?name=atomic")).body, { data: [], nextCursor: null });
  assert.equal(
    (await call("POST", "/accounts/batch", { operations: operations.slice(0, 1), atomic: true })).status,
    200,
  );
});

test("an atomic batch with long errors returns an error under 64 KiB", async () => {
  const odd = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`odd${index}`, 1]));
  const operations = Array(100).fill({ op: "create", data: odd });
  const rejected = await call("POST", "/accounts/batch", { operations, atomic: true });
  assert.equal(rejected.status, 422);
  assert.equal((errorOf(rejected).details as unknown as { items: unknown[] }).items.length, 100);
});

test("a malformed batch returns 400 with all problems and runs nothing", async () => {
  const cases: readonly (readonly [unknown, string])[] = [
    [{}, "/operations required"],
    [{ operations: [] }, "/operations out_of_range"],
    [{ operations: Array(101).fill({ op: "archive", id: one.account }) }, "/operations out_of_range"],
    [{ operations: [{ op: "delete", id: one.account }] }, "/operations/0/op not_an_option"],
    [
      { operations: [{ op: "create" }, { op: "update", data: {} }] },
      "/operations/0/data required, /operations/1/id required",
    ],
    [{ operations: [{ op: "create", id: one.account, data: {} }] }, "/operations/0/id unknown_key"],
    [{ operations: [{ op: "archive", id: one.account, data: {} }] }, "/operations/0/data unknown_key"],
    [{ operations: [{ op: "upsert", data: {} }], atomic: 1 }, "/atomic invalid_type"],
    [{ operations: [{ op: "archive", id: one.account }], odd: 1 }, "/odd unknown_key"],
  ];
  for (const [body, problems] of cases) {
    assert.equal(verdict(await call("POST", "/accounts/batch", body)), `400 validation_error: ${problems}`);
  }
  assert.equal(verdict(await call("GET", `/accounts/${one.account}`)), "200");
});

test("a replayed batch returns the same bytes, also with status 207", async () => {
  const operations = [
    { op: "create", data: { name: "Replay", phone: "1" } },
    { op: "create", data: {} },
  ];
  const sent = { key: one.key, headers: { "idempotency-key": "batch-1" }, body: { operations } };
  const [first, second] = [
    await crm.send("POST", "/accounts/batch", sent),
    await crm.send("POST", "/accounts/batch", sent),
  ];
  assert.deepEqual([first.status, second.status, second.text], [207, 207, first.text]);
  assert.equal(second.headers.get("idempotent-replayed"), "true");
});

test("a batch takes one token of the rate limit", async () => {
  const operations = Array.from({ length: 50 }, (_, index) => ({ op: "create", data: { title: `Task ${index}` } }));
  const remaining = (result: Result) => Number(result.headers.get("x-ratelimit-remaining"));
  const before = remaining(await call("GET", "/me"));
  assert.ok(remaining(await call("POST", "/tasks/batch", { operations })) >= before - 1);
});

test("concurrent batches with the same unique value: one creates it, and the others commit the rest", async () => {
  const operations = (index: number) => [
    { op: "create", data: { name: "Contested", phone: "1" } },
    { op: "create", data: { name: `Rest ${index}`, phone: "1" } },
  ];
  const results = await Promise.all(
    [1, 2, 3, 4].map((index) =>
      crm.send("POST", "/accounts/batch", { key: one.key, body: { operations: operations(index) } }),
    ),
  );
  assert.deepEqual(results.map(({ status }) => status).sort(), [200, 207, 207, 207]);
  for (const result of results) assert.equal(outcomes(result)[1], "201 created");
});

test("a dry run of a batch returns its result and writes nothing", async () => {
  const body = {
    operations: [
      { op: "archive", id: one.account },
      { op: "create", data: {} },
    ],
  };
  const dry = await crm.send("POST", "/accounts/batch", { key: one.key, headers: { prefer: "dry-run" }, body });
  assert.deepEqual(outcomes(dry), ["204 archived", "400 validation_error"]);
  assert.equal(verdict(await call("GET", `/accounts/${one.account}`)), "200");
});

test("each error of a batch is the error of the single request", async () => {
  const failing = [
    { op: "create", data: { phone: 5, odd: 1 } },
    { op: "create", data: { name: "acme", phone: "1" } },
    { op: "create", data: { name: "No phone" } },
    { op: "update", id: "odd", data: { phone: "1" } },
    { op: "update", id: one.account, data: { ownerId: one.account } },
    { op: "upsert", matchBy: "externalId", onlyIf: "exists", data: { externalId: "none" } },
  ] as const;
  const result = await crm.call("POST", "/accounts/batch", { operations: failing });
  for (const [index, operation] of failing.entries()) {
    const single = await sendSingle(crm, "/accounts", operation);
    assert.deepEqual(itemsOf(result)[index], { index, status: single.status, ...(single.body as object) });
  }
});

/** Any values of a request: valid and invalid names, data, IDs and operations. */
const anyName = fc.constantFrom("Acme", "acme ", "B", "C", "", null);
const anyData = fc.record(
  {
    name: anyName,
    phone: fc.constantFrom("1", "2", null),
    externalId: fc.constantFrom("x", "y", null),
    odd: fc.constant(1),
  },
  { requiredKeys: [] },
);
const anyId = fc.constantFrom(one.account, one.contact, "odd");
const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ op: fc.constant("create"), data: anyData }),
  fc.record({ op: fc.constant("update"), id: anyId, data: anyData }),
  fc.record({ op: fc.constant("upsert"), matchBy: fc.constantFrom("name", "externalId"), data: anyData }),
  fc.record({ op: fc.constant("archive"), id: anyId }),
);

test("a batch returns what its operations return one by one, until one writes a record twice", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyOperation, { minLength: 1, maxLength: 8 }), async (operations) => {
      const [batched, single] = [await openCrm(rules), await openCrm(rules)];
      const items = itemsOf(await batched.call("POST", "/accounts/batch", { operations }));
      for (const [index, each] of operations.entries()) {
        const item = items[index] as Item;
        if (item.status === 409 && JSON.stringify(item.error).includes("twice_in_batch")) return;
        const { status, body } = await sendSingle(single, "/accounts", each);
        assert.deepEqual(comparable(item), comparable({ index, status, ...(body as object | undefined) }));
      }
    }),
    { numRuns: 30, seed },
  );
});

/** Replaces IDs of new records and times. */
function comparable({ result: _, ...item }: Item): unknown {
  const text = JSON.stringify(item).replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"time"');
  return JSON.parse(text.replaceAll(/"(id|existingId)":"(?!01950001)[^"]+"/g, '"$1":"new"'));
}
