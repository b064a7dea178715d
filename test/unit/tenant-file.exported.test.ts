import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, one } from "../support/crm.ts";
import { archivedAt, customFields, editableCrm, exported } from "../support/editable-crm.ts";
import { testCrm } from "../support/harness.ts";
import { freshStorage } from "../support/storages.ts";
import { edited, issuesOf, listIn, load } from "../support/tenant-file-edit.ts";

test("a file without exported: true must match its own custom fields", async (t) => {
  const crm = await editableCrm();
  await crm.change("customField", { key: "segment", entity: "account" }, { options: ["Large"] });
  await crm.change("customField", { key: "since", entity: "account" }, { archivedAt });
  const file = await exported(crm.storage);
  const copy = await freshStorage();
  t.after(() => copy.close());
  const path = `/accounts/${listIn(file, "accounts").findIndex(({ id }) => id === crm.account.id)}`;
  const faults = [
    `${path}/customFields/since unknown_key: Unknown custom field "since". Did you mean "size"?`,
    `${path}/customFields/segment not_an_option: customFields.segment must be one of: Large.`,
  ];
  for (const mark of [undefined, false]) {
    assert.deepEqual(await issuesOf(copy, edited(file, { "/exported": mark })), faults);
  }
});

test("an export accepts any value that fits some type of custom field", async (t) => {
  const { storage, clock, account } = await editableCrm();
  const file = await exported(storage);
  const index = listIn(file, "accounts").findIndex(({ id }) => id === account.id);
  const withValues = (values: unknown) => edited(file, { [`/accounts/${index}/customFields`]: values });
  const copy = await freshStorage();
  const wrong = [
    null,
    true,
    "\0",
    "\ud800",
    Number.POSITIVE_INFINITY,
    [1],
    [["Filter"]],
    {},
    { amount: "1", currency: "EUR" },
  ];
  for (const value of [...wrong, { amount: 1, currency: "euro" }, { amount: 1, currency: "EUR", exact: true }]) {
    const [fault = "", ...more] = await issuesOf(copy, withValues({ size: value }));
    assert.match(fault, new RegExp(`^/accounts/${index}/customFields/size invalid_type: `), JSON.stringify(value));
    assert.deepEqual(more, []);
  }
  const invalid = JSON.parse('{ "__proto__": 1, "": 2 }');
  const unknown = (await issuesOf(copy, withValues(invalid))).map((fault) => fault.split(":")[0]);
  const base = `/accounts/${index}/customFields/`;
  assert.deepEqual(unknown, [`${base}__proto__ unknown_key`, `${base} unknown_key`]);

  const odd = { size: "large", since: 7, segment: ["SMB"], lines: "Beans", note: { amount: 1, currency: "EUR" } };
  assert.equal((await load(copy, withValues(odd))).created, true);
  const { api, send } = await testCrm([], { storage: copy, clock });
  t.after(() => api.close());
  const path = `/accounts/${account.id}`;
  for (const target of ["/accounts", path]) assert.equal((await send("GET", target, { key: one.key })).status, 200);
  const renamed = await send("PATCH", path, { key: one.key, body: { name: "Late", customFields: odd } });
  assert.deepEqual(dataOf(renamed).customFields, odd);
  const corrected = await send("PATCH", path, { key: one.key, body: { customFields: { ...customFields } } });
  assert.deepEqual(dataOf(corrected).customFields, customFields);
});
