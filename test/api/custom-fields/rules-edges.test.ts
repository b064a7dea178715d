import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, errorOf, one, openCrm, sales, two, verdict } from "../../support/crm.ts";

test("an unrelated PATCH doesn't apply a rule of the current stage", async () => {
  const when = { stageIds: [sales.lead], statuses: ["open"] };
  const { call } = await openCrm({ "/rules": [{ entity: "opportunity", field: "amount", when }] });
  const path = `/opportunities/${one.opportunity}`;
  for (const body of [{ name: "x" }, { stageId: sales.lead }, { status: "open" }, { amount: null }, { amount: 1 }]) {
    assert.equal(verdict(await call("PATCH", path, body)), "200");
  }
  const cleared = await call("PATCH", path, { amount: null });
  assert.equal(verdict(cleared), "422 validation_error: /amount required_at_stage");
});

test("a rule with stages and statuses applies if both match", async () => {
  const when = { stageIds: [sales.offer, sales.contract], statuses: ["won", "lost"] };
  const { call, create } = await openCrm({ "/rules": [{ entity: "opportunity", field: "amount", when }] });
  for (const body of [{ stageId: sales.offer }, { status: "won" }])
    await create("/opportunities", { name: "x", ...body });
  const rejected = await call("POST", "/opportunities", { name: "x", stageId: sales.offer, status: "won" });
  assert.equal(verdict(rejected), "422 validation_error: /amount required_at_stage");
  assert.equal(errorOf(rejected).message, 'amount is required at stage "Offer" if the status is won.');

  const { id } = await create("/opportunities", { name: "x" });
  const path = `/opportunities/${id}`;
  dataOf(await call("PATCH", path, { stageId: sales.offer }));
  const won = await call("PATCH", path, { status: "won" });
  assert.equal(verdict(won), "422 validation_error: /amount required_at_status");
  assert.equal(errorOf(won).message, errorOf(rejected).message);
  dataOf(await call("PATCH", path, { stageId: sales.lead }));
  dataOf(await call("PATCH", path, { status: "won" }));
  const moved = await call("PATCH", path, { status: "open", stageId: sales.offer });
  assert.equal(verdict(moved), "200");
});

test("a field that two rules require is reported once", async () => {
  const rules = [{ statuses: ["open"] }, { stageIds: [sales.lead] }].map((when) => {
    return { entity: "opportunity", field: "amount", when };
  });
  const { call } = await openCrm({ "/rules": rules });
  const rejected = await call("POST", "/opportunities", { name: "x" });
  assert.equal(verdict(rejected), "422 validation_error: /amount required_at_stage");
});

test("the default owner satisfies a rule that requires an owner, null doesn't", async () => {
  const { call, create } = await openCrm({ "/rules": [{ entity: "account", field: "ownerId" }] });
  await create("/accounts", { name: "x" });
  const rejected = await call("POST", "/accounts", { name: "y", ownerId: null });
  assert.equal(verdict(rejected), "422 validation_error: /ownerId required");
});

test("a record archived before a rule was created can be restored", async () => {
  const archivedAt = "2026-01-05T08:00:00.000Z";
  const edits = { "/rules": [{ entity: "account", field: "document" }], "/accounts/0/archivedAt": archivedAt };
  const { call } = await openCrm(edits);
  assert.equal(verdict(await call("POST", `/accounts/${one.account}/restore`)), "200");
});

test("rules that are archived or of another entity or tenant don't apply", async () => {
  const archivedAt = "2026-01-05T08:00:00.000Z";
  const rules = [
    { entity: "account", field: "document", archivedAt },
    { entity: "contact", field: "phone" },
  ];
  const { call, create, send } = await openCrm({ "/rules": rules });
  await create("/accounts", { name: "x" });
  const body = { name: "x" };
  assert.equal(verdict(await call("POST", "/contacts", body)), "422 validation_error: /phone required");
  assert.equal((await send("POST", "/contacts", { key: two.key, body })).status, 201);
});

test("tasks have rules too, on create and when a PATCH clears the field", async () => {
  const rules = [
    { entity: "task", field: "dueDate" },
    { entity: "task", field: "relatedTo" },
    { entity: "task", field: "assignedTo" },
  ];
  const { call, create } = await openCrm({ "/rules": rules });
  const rejected = await call("POST", "/tasks", { title: "x", dueDate: null });
  const problems = "/dueDate required, /relatedTo required, /assignedTo required";
  assert.equal(verdict(rejected), `422 validation_error: ${problems}`);
  const body = { dueDate: "2026-04-01T00:00:00Z", relatedTo: { type: "contact", id: one.contact } };
  const task = await create("/tasks", { title: "x", ...body, assignedTo: one.member });
  const cleared = await call("PATCH", `/tasks/${task.id}`, { relatedTo: null, dueDate: null, assignedTo: one.admin });
  assert.equal(verdict(cleared), "422 validation_error: /dueDate required, /relatedTo required");
  dataOf(await call("PATCH", `/tasks/${task.id}`, { status: "completed" }));
  dataOf(await call("PATCH", `/tasks/${one.task}`, { description: "Old", dueDate: null }));
});

test("a field required by a rule is reported once if its value is invalid", async () => {
  const { call } = await openCrm({ "/rules": [{ entity: "account", field: "customFields.segment" }] });
  const rejected = await call("POST", "/accounts", { name: "x", customFields: { segment: "Nope" } });
  assert.equal(verdict(rejected), "422 invalid_custom_field: /customFields/segment not_an_option");
});

test("a field that the catalog and a rule require is reported once", async () => {
  const rules = [{ entity: "account", field: "customFields.note" }];
  const { call } = await openCrm({ "/rules": rules, "/customFields/0/required": true });
  const rejected = await call("POST", "/accounts", { name: "x" });
  assert.equal(verdict(rejected), "422 validation_error: /customFields/note required");
});

test("a rule on a field named constructor applies", async () => {
  const rules = [{ entity: "account", field: "customFields.constructor" }];
  const { call } = await openCrm({ "/rules": rules, "/customFields/0/key": "constructor" });
  const rejected = await call("POST", "/accounts", { name: "x" });
  assert.equal(verdict(rejected), "422 validation_error: /customFields/constructor required");
});

test("an empty address doesn't satisfy a rule that requires an address", async () => {
  const { call, create } = await openCrm({ "/rules": [{ entity: "account", field: "address" }] });
  await create("/accounts", { name: "x", address: { city: "Lyon" } });
  const rejected = await call("POST", "/accounts", { name: "y", address: {} });
  assert.equal(verdict(rejected), "422 validation_error: /address required");
});
