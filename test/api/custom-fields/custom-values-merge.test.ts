import assert from "node:assert/strict";
import { test } from "node:test";
import type { CustomField } from "../../../lib/model/custom-field.ts";
import { dataOf, one, openCrm, verdict } from "../../support/crm.ts";

const { call, create, read } = await openCrm();

const values = {
  note: "rings",
  size: 4,
  budget: { amount: 5, currency: "EUR" },
  since: "2024-02-29",
  segment: "SMB",
  lines: ["Filter", "Beans"],
};

test("PATCH changes the custom fields in the body, and null removes one", async () => {
  const { id } = await create("/contacts", { name: "x", customFields: values });
  const { segment: _, ...rest } = values;
  const steps = [
    [{ size: 5 }, { ...values, size: 5 }],
    [
      { size: 4, segment: null, lines: ["beans"] },
      { ...rest, lines: ["Beans"] },
    ],
    [{ segment: null }, { ...rest, lines: ["Beans"] }],
    [{ segment: "smb", lines: ["filter", "Beans"] }, values],
    [Object.fromEntries(Object.keys(values).map((key) => [key, null])), {}],
  ] as const;
  for (const [customFields, expected] of steps) {
    const changed = dataOf(await call("PATCH", `/contacts/${id}`, { customFields }));
    assert.deepEqual(changed.customFields, expected);
    assert.deepEqual(await read(`/contacts/${id}`), changed);
  }
});

test("a PATCH merges the members of a currency value", async () => {
  const { id } = await create("/contacts", { name: "x", customFields: values });
  const patch = (budget: unknown) => call("PATCH", `/contacts/${id}`, { customFields: { budget } });
  const budgetOf = async (budget: unknown) =>
    (dataOf(await patch(budget)).customFields as Record<string, unknown>).budget;
  assert.deepEqual(await budgetOf({ amount: 7 }), { amount: 7, currency: "EUR" });
  assert.deepEqual(await budgetOf({ currency: "USD" }), { amount: 7, currency: "USD" });
  assert.equal(verdict(await patch({ amount: null })), "422 invalid_custom_field: /customFields/budget invalid_type");
  assert.equal(await budgetOf(3), 3);
  assert.deepEqual(await budgetOf({ amount: 1, currency: "SEK" }), { amount: 1, currency: "SEK" });
});

test("concurrent PATCHes of different custom fields all take effect", async () => {
  const { id } = await create("/contacts", { name: "x" });
  const entries = Object.entries(values);
  const results = await Promise.all(
    entries.map(([key, value]) => call("PATCH", `/contacts/${id}`, { customFields: { [key]: value } })),
  );
  for (const result of results) assert.equal(verdict(result), "200");
  assert.deepEqual((await read(`/contacts/${id}`)).customFields, values);
});

test("equal values, in any case and order of keys, don't change updatedAt", async () => {
  const before = await create("/opportunities", { name: "x", customFields: values });
  const same = [
    {},
    { customFields: {} },
    { customFields: values },
    { customFields: Object.fromEntries(Object.entries(values).reverse()) },
    { customFields: { budget: { currency: "EUR", amount: 5.0 } } },
    { customFields: { segment: "smb", lines: ["FILTER", "beans", "filter"] } },
  ];
  for (const body of same) {
    assert.deepEqual(dataOf(await call("PATCH", `/opportunities/${before.id}`, body)), before);
  }
  const { updatedAt } = dataOf(
    await call("PATCH", `/opportunities/${before.id}`, { customFields: { lines: ["Beans", "Filter"] } }),
  );
  assert.ok(updatedAt > before.updatedAt, "another order of a list is another value");
});

test("a currency value is returned in the shape of the last write, number or object", async () => {
  const { id } = await create("/accounts", { name: "Shapes", customFields: { budget: 5 } });
  for (const budget of [{ amount: 5, currency: "EUR" }, { amount: 5, currency: "USD" }, 5, 0]) {
    const changed = dataOf(await call("PATCH", `/accounts/${id}`, { customFields: { budget } }));
    assert.deepEqual(changed.customFields, { budget });
  }
});

test("customFields must be an object", async () => {
  for (const customFields of [null, [], "{}", 1, true]) {
    const made = await call("POST", "/accounts", { name: "x", customFields });
    assert.equal(verdict(made), "400 validation_error: /customFields invalid_type");
    assert.equal((await call("PATCH", `/accounts/${one.account}`, { customFields })).text, made.text);
  }
});

/** A tenant with an account that has all values, and a function that changes its catalog. */
async function catalogCrm() {
  const crm = await openCrm();
  const { storage, clock } = crm;
  const before = await crm.create("/accounts", { name: "Early", customFields: values });
  const change = async (key: string, members: Partial<CustomField>): Promise<void> => {
    const fields = await storage.list(one.id, "customField", { where: { entity: "account", key } });
    await storage.commit(one.id, clock.now(), (at) =>
      fields.map((field) => {
        const record = { ...field, ...members, updatedAt: at };
        return { op: "update", kind: "customField", record, expectedUpdatedAt: field.updatedAt };
      }),
    );
  };
  return { crm, before, path: `/accounts/${before.id}`, change };
}

test("a value whose option was removed is still returned, can be sent back unchanged, and can't be set again", async () => {
  const { crm, before, path, change } = await catalogCrm();
  await change("segment", { options: ["Mid-Market", "Größe"], optionLabels: null });
  await change("lines", { options: ["Filter", "Espresso"], optionLabels: null });
  assert.deepEqual(await crm.read(path), before);
  assert.deepEqual(dataOf(await crm.call("PATCH", path, before)), before);
  const renamed = dataOf(await crm.call("PATCH", path, { ...before, name: "Late" }));
  assert.deepEqual(renamed, { ...before, name: "Late", updatedAt: renamed.updatedAt });

  const rejected = { segment: "smb", lines: ["Beans"] };
  const problems = "/customFields/segment not_an_option, /customFields/lines/0 not_an_option";
  assert.equal(
    verdict(await crm.call("PATCH", path, { customFields: rejected })),
    `422 invalid_custom_field: ${problems}`,
  );
  const emptied = dataOf(await crm.call("PATCH", path, { customFields: { segment: null, lines: ["Filter"] } }));
  const { segment: _, ...rest } = values;
  assert.deepEqual(emptied.customFields, { ...rest, lines: ["Filter"] });
  const again = await crm.call("PATCH", path, { customFields: { segment: "SMB" } });
  assert.equal(verdict(again), "422 invalid_custom_field: /customFields/segment not_an_option");
});

test("stored values that are no longer allowed stay until they are replaced", async () => {
  const { crm, before, path, change } = await catalogCrm();
  await change("note", { maxLength: 2 });
  await change("size", { type: "date" });
  await change("since", { archivedAt: crm.clock.now() });
  const renamed = dataOf(await crm.call("PATCH", path, { ...before, name: "Late" }));
  assert.deepEqual(renamed, { ...before, name: "Late", updatedAt: renamed.updatedAt });
  const rejected = await crm.call("PATCH", path, { customFields: { note: "bells", size: 5, since: "2024-03-01" } });
  const problems = "/customFields/since unknown_key, /customFields/note too_long, /customFields/size invalid_type";
  assert.equal(verdict(rejected), `422 unknown_custom_field: ${problems}`);
});

test("null removes a value whose field was removed from the catalog, and only if the record has one", async () => {
  const { crm, path, change } = await catalogCrm();
  await change("since", { archivedAt: crm.clock.now() });
  await change("segment", { key: "sector" });
  const unknown = await crm.call("PATCH", path, { customFields: { since: null, segment: null, colour: null } });
  assert.equal(verdict(unknown), "422 unknown_custom_field: /customFields/colour unknown_key");
  const { since: _, segment: _s, ...rest } = values;
  const cleared = dataOf(await crm.call("PATCH", path, { customFields: { since: null, segment: null } }));
  assert.deepEqual(cleared.customFields, rest);
  assert.deepEqual(await crm.read(path), cleared);
  const again = await crm.call("PATCH", path, { customFields: { since: null } });
  assert.equal(verdict(again), "422 unknown_custom_field: /customFields/since unknown_key");
});

test("of options that differ only in case, the exact match is selected, or else the first", async () => {
  const { crm, path, change } = await catalogCrm();
  await change("lines", { options: ["Beans", "BEANS", "Straße", "STRASSE"], optionLabels: null });
  const sent = { lines: ["BEANS", "beans", "strasse", "STRASSE"] };
  const changed = dataOf(await crm.call("PATCH", path, { customFields: sent }));
  assert.deepEqual(changed.customFields, { ...values, lines: ["BEANS", "Beans", "Straße", "STRASSE"] });
});
