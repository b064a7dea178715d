import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, one, owner, sales, service } from "../support/crm.ts";
import { archivedAt, editableCrm, exported } from "../support/editable-crm.ts";
import { testCrm } from "../support/harness.ts";
import { freshStorage } from "../support/storages.ts";
import { issuesOf, recordsOf } from "../support/tenant-file-edit.ts";

type Moving = Awaited<ReturnType<typeof editableCrm>>;

const field = {
  label: "Field",
  required: false,
  description: null,
  maxLength: null,
  options: null,
  optionLabels: null,
};
const gone = { options: ["Mid-Market"], optionLabels: null };
const rule = { entity: "account", when: null };

/** Changes of the settings under which the records of a tenant were created. */
const ways: readonly (readonly [name: string, move: (crm: Moving) => Promise<void>])[] = [
  ["options of a list", ({ change }) => change("customField", { key: "segment" }, gone)],
  ["options of a list of many", ({ change }) => change("customField", { key: "lines" }, gone)],
  [
    "labels of options that are gone, and options that differ in case alone",
    ({ change }) =>
      change("customField", { key: "lines" }, { options: ["tea", "Tea"], optionLabels: { Filter: "Filter coffee" } }),
  ],
  ["a custom field that is archived", ({ change }) => change("customField", { key: "since" }, { archivedAt })],
  [
    "a custom field that is archived, and a rule that demands it",
    async ({ change, add }) => {
      await add("rule", { ...rule, field: "customFields.since" });
      await change("customField", { key: "since" }, { archivedAt });
    },
  ],
  [
    "a custom field that is archived, and another under its key",
    async ({ change, add }) => {
      await change("customField", { key: "note" }, { archivedAt });
      await add("customField", { ...field, entity: "account", key: "note", type: "number", position: 9 });
    },
  ],
  ["another key of a custom field", ({ change }) => change("customField", { key: "segment" }, { key: "sector" })],
  ["another type of a custom field", ({ change }) => change("customField", { key: "size" }, { type: "date" })],
  ["shorter texts", ({ change }) => change("customField", { key: "note" }, { maxLength: 2 })],
  [
    "a custom field and a rule that now demand what is not there",
    async ({ add }) => {
      await add("customField", { ...field, entity: "account", key: "must", type: "text", required: true, position: 9 });
      await add("rule", { ...rule, field: "phone" });
    },
  ],
  [
    "a rule that an older version accepted and that never applies",
    ({ add }) => add("rule", { entity: "opportunity", field: "amount", when: { statuses: [] } }),
  ],
  [
    "reasons for a lost sale",
    async ({ call, sale, change }) => {
      dataOf(await call("PATCH", `/opportunities/${sale.id}`, { status: "lost", lostReason: "Price" }));
      await change("pipeline", { id: sales.id }, { lostReasons: ["Other"] });
    },
  ],
  ["a stage that is archived", ({ change }) => change("stage", { id: sales.offer }, { archivedAt })],
  [
    "a pipeline that is archived with its stages, and another that is the default",
    async ({ change }) => {
      await change("stage", { pipelineId: sales.id }, { archivedAt });
      await change("pipeline", { id: sales.id }, { archivedAt });
      await change("pipeline", { id: service.id }, { isDefault: true });
    },
  ],
  ["an owner who is archived", ({ change }) => change("user", { id: owner }, { archivedAt })],
  ["an owner who is not active", ({ change }) => change("user", { id: owner }, { active: false })],
  [
    "a name and an e-mail address that archived records had",
    async ({ call, create, account, contact }) => {
      for (const path of [`/accounts/${account.id}`, `/contacts/${contact.id}`]) {
        assert.equal((await call("DELETE", path)).status, 204);
      }
      await create("/accounts", { name: "EARLY" });
      await create("/contacts", { name: "Eva", email: "EVA@early.example" });
    },
  ],
];

for (const [name, move] of ways) {
  test(`an export of a tenant that has changed since is loaded unchanged: ${name}`, async (t) => {
    const crm = await editableCrm();
    await move(crm);
    const file = await exported(crm.storage);
    const copy = await freshStorage();
    t.after(() => copy.close());
    assert.deepEqual(await issuesOf(copy, file), []);
    assert.equal(JSON.stringify(await exported(copy)), JSON.stringify(file));
    const { idempotencyRecord: _, event: _events, ...records } = await recordsOf(copy, one.id);
    const { idempotencyRecord: _stored, event: _written, ...before } = await recordsOf(crm.storage, one.id);
    assert.deepEqual(records, before);
    const there = await testCrm([], { storage: copy, clock: crm.clock });
    for (const path of ["/accounts", "/contacts", "/opportunities", "/custom-fields?entity=account", "/pipelines"]) {
      const shown = await there.send("GET", path, { key: one.key });
      assert.deepEqual([shown.status, shown.text], [200, (await crm.call("GET", path)).text]);
    }
  });
}
