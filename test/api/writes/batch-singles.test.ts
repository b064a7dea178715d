import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Item, itemsOf, type Operation, sendSingle } from "../../support/batches.ts";
import { one, openCrm } from "../../support/crm.ts";
import { seed } from "../../support/seed.ts";
import type { Edits } from "../../support/tenant-file-edit.ts";

const rules: Edits = { "/rules": [{ entity: "account", field: "phone" }] };
const crm = await openCrm(rules);

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

const name = fc.constantFrom("Acme", "acme ", "B", "C", "", null);
const data = fc.record(
  { name, phone: fc.constantFrom("1", "2", null), externalId: fc.constantFrom("x", "y", null), odd: fc.constant(1) },
  { requiredKeys: [] },
);
const id = fc.constantFrom(one.account, one.contact, "odd");
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ op: fc.constant("create"), data }),
  fc.record({ op: fc.constant("update"), id, data }),
  fc.record({ op: fc.constant("upsert"), matchBy: fc.constantFrom("name", "externalId"), data }),
  fc.record({ op: fc.constant("archive"), id }),
);

test("a batch returns what its operations return one by one, until one writes a record twice", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 8 }), async (operations) => {
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
