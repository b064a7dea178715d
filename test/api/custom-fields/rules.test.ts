import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, errorOf, one, openCrm, sales, service, verdict } from "../../support/crm.ts";

const rule = (entity: string, field: string, when?: object) => ({ entity, field, ...(when && { when }) });

test("POST reports missing built-in and custom fields that are always required", async () => {
  const rules = [rule("account", "document"), rule("account", "customFields.lines"), rule("contact", "email")];
  const { call, create } = await openCrm({ "/rules": rules });
  const missing = await call("POST", "/accounts", { name: "x" });
  assert.equal(missing.status, 422);
  const errors = [
    { path: "/document", code: "required", message: "document is required." },
    {
      path: "/customFields/lines",
      code: "required",
      message: "customFields.lines is required (list of: Filter, Espresso, Beans).",
      allowed: ["Filter", "Espresso", "Beans"],
    },
  ];
  const message = "document is required. (and 1 more: see details.errors)";
  assert.deepEqual(missing.body, { error: { code: "validation_error", message, details: { errors } } });
  for (const body of [
    { document: "", customFields: { lines: [] } },
    { document: null, customFields: { lines: null } },
  ]) {
    assert.equal((await call("POST", "/accounts", { name: "x", ...body })).text, missing.text);
  }
  const half = await call("POST", "/accounts", { name: "x", document: "D" });
  assert.equal(verdict(half), "422 validation_error: /customFields/lines required");
  await create("/accounts", { name: "x", document: "D", customFields: { lines: ["beans"] } });
  await create("/contacts", { name: "x", email: "x@y.test" });
  await create("/opportunities", { name: "x" });
});

test("PATCH returns 422 if it clears a required field", async () => {
  const rules = [rule("account", "document"), rule("account", "customFields.note")];
  const { call, create, read } = await openCrm({ "/rules": rules });
  const before = await create("/accounts", { name: "x", document: "D", customFields: { note: "n", size: 1 } });
  const path = `/accounts/${before.id}`;
  const cases = {
    "/document required": [{ document: null }, { document: "" }],
    "/customFields/note required": [{ customFields: { note: null } }, { customFields: { note: "" } }],
    "/document required, /customFields/note required": [{ document: null, customFields: { note: null } }],
  };
  for (const [problems, bodies] of Object.entries(cases)) {
    for (const body of bodies) {
      assert.equal(verdict(await call("PATCH", path, body)), `422 validation_error: ${problems}`);
    }
  }
  assert.deepEqual(await read(path), before);
  const changed = dataOf(await call("PATCH", path, { document: "E", customFields: { note: "m", size: null } }));
  assert.deepEqual([changed.document, changed.customFields], ["E", { note: "m" }]);
});

test("PATCH accepts a record without the field of a newer rule, but rejects clearing the field once it is set", async () => {
  const rules = [rule("account", "document"), rule("account", "ownerId"), rule("account", "customFields.note")];
  const { call } = await openCrm({ "/rules": rules });
  const path = `/accounts/${one.account}`;
  const before = dataOf(await call("PATCH", path, { phone: "1" }));
  for (const body of [before, { document: null }, { customFields: { note: null, size: 1 } }, { document: "D" }]) {
    assert.equal(verdict(await call("PATCH", path, body)), "200");
  }
  assert.equal(verdict(await call("PATCH", path, { document: null })), "422 validation_error: /document required");
});

test("a field required at a stage applies to create, stage change and clearing the field", async () => {
  const stageIds = [sales.offer, sales.contract, service.review];
  const rules = [rule("opportunity", "amount", { stageIds }), rule("opportunity", "customFields.since", { stageIds })];
  const { call, create } = await openCrm({ "/rules": rules });
  const both = { amount: 0, customFields: { since: "2026-03-01" } };
  const missing = await call("POST", "/opportunities", { name: "x", stageId: sales.offer });
  assert.equal(missing.status, 422);
  const rejection = (stage: string) => {
    const code = "required_at_stage";
    const since = `customFields.since is required at stage "${stage}" (date, YYYY-MM-DD).`;
    const errors = [
      { path: "/amount", code, message: `amount is required at stage "${stage}".` },
      { path: "/customFields/since", code, message: since },
    ];
    const message = `${errors[0]?.message} (and 1 more: see details.errors)`;
    return { error: { code: "validation_error", message, details: { errors } } };
  };
  assert.deepEqual(missing.body, rejection("Offer"));
  await create("/opportunities", { name: "x", stageId: sales.offer, ...both });

  const { id } = await create("/opportunities", { name: "x" });
  const path = `/opportunities/${id}`;
  for (const [stage, stageId] of Object.entries({
    Offer: sales.offer,
    Contract: sales.contract,
    Review: service.review,
  })) {
    assert.deepEqual((await call("PATCH", path, { stageId })).body, rejection(stage));
  }
  assert.equal(verdict(await call("PATCH", path, { stageId: service.survey })), "200");
  assert.equal(verdict(await call("PATCH", path, { stageId: sales.offer, ...both })), "200");
  const cleared = await call("PATCH", path, { amount: null });
  assert.equal(verdict(cleared), "422 validation_error: /amount required_at_stage");
  const moved = await call("PATCH", path, { stageId: sales.contract, amount: null });
  assert.equal(verdict(moved), verdict(cleared));
  assert.equal(errorOf(cleared).message, 'amount is required at stage "Offer".');
  assert.equal(errorOf(moved).message, 'amount is required at stage "Contract".');
  assert.equal(verdict(await call("PATCH", path, { stageId: sales.lead, amount: null })), "200");
});

test("a field required at a status applies to create, status change and clearing the field", async () => {
  const rules = [
    rule("opportunity", "amount", { statuses: ["won"] }),
    rule("opportunity", "customFields.note", { statuses: ["won", "lost"] }),
  ];
  const { call, create } = await openCrm({ "/rules": rules });
  const lost = { status: "lost", lostReason: "Price" };
  const missing = await call("POST", "/opportunities", { name: "x", status: "won" });
  assert.equal(missing.status, 422);
  const errors = [
    { path: "/amount", code: "required_at_status", message: "amount is required if the status is won." },
    {
      path: "/customFields/note",
      code: "required_at_status",
      message: "customFields.note is required if the status is won (text, at most 10 characters).",
    },
  ];
  const message = "amount is required if the status is won. (and 1 more: see details.errors)";
  assert.deepEqual(missing.body, { error: { code: "validation_error", message, details: { errors } } });

  const { id } = await create("/opportunities", { name: "x" });
  const path = `/opportunities/${id}`;
  assert.equal((await call("PATCH", path, { status: "won" })).text, missing.text);
  const problem = "422 validation_error: /customFields/note required_at_status";
  assert.equal(verdict(await call("PATCH", path, lost)), problem);
  assert.equal(verdict(await call("PATCH", path, { ...lost, customFields: { note: "n" } })), "200");
  assert.equal(verdict(await call("PATCH", path, { customFields: { note: null } })), problem);
  assert.equal(verdict(await call("PATCH", path, { status: "open", customFields: { note: null } })), "200");
});

test("violations of every type of rule are reported at once, each with its code", async () => {
  const rules = [
    rule("opportunity", "accountId"),
    rule("opportunity", "contactIds", { stageIds: [sales.contract] }),
    rule("opportunity", "expectedCloseDate", { statuses: ["open"] }),
    rule("opportunity", "customFields.segment", { statuses: ["won"] }),
  ];
  const { call, create } = await openCrm({ "/rules": rules });
  const rejected = await call("POST", "/opportunities", { name: "x", stageId: sales.contract });
  const problems = ["/accountId required", "/contactIds required_at_stage", "/expectedCloseDate required_at_status"];
  assert.equal(verdict(rejected), `422 validation_error: ${problems.join(", ")}`);
  const { id } = await create("/opportunities", { name: "x", accountId: one.account, expectedCloseDate: "2026-03-01" });
  const path = `/opportunities/${id}`;
  const won = await call("PATCH", path, { status: "won", expectedCloseDate: null });
  assert.equal(verdict(won), "422 validation_error: /customFields/segment required_at_status");
  const body = { status: "won", stageId: sales.contract, contactIds: [one.contact], customFields: { segment: "smb" } };
  dataOf(await call("PATCH", path, { ...body, expectedCloseDate: null }));
  const reopened = await call("PATCH", path, { status: "open" });
  assert.equal(verdict(reopened), "422 validation_error: /expectedCloseDate required_at_status");
});

const archivedAt = "2026-01-05T08:00:00.000Z";
const withRules = await openCrm({
  "/rules": [
    rule("account", "customFields.size"),
    { ...rule("contact", "customFields.note"), archivedAt },
    rule("opportunity", "customFields.budget"),
    rule("opportunity", "customFields.since", { stageIds: [sales.offer, service.review] }),
    rule("opportunity", "amount", { stageIds: [sales.offer], statuses: ["open", "won"] }),
    rule("opportunity", "accountId", { stageIds: [sales.offer], statuses: ["lost"] }),
    rule("opportunity", "customFields.lines", { statuses: ["won"] }),
    rule("opportunity", "amount", { stageIds: [sales.offer, sales.contract] }),
  ],
  "/customFields/0/required": true,
});

async function requiredKeys(entity: string): Promise<unknown> {
  const fields = dataOf<{ key: string; required: boolean }[]>(
    await withRules.call("GET", `/custom-fields?entity=${entity}`),
  );
  return fields.filter(({ required }) => required).map(({ key }) => key);
}

test("GET /custom-fields says that a field is required if the catalog or an unconditional rule requires it", async () => {
  assert.deepEqual(await requiredKeys("account"), ["note", "size"]);
  assert.deepEqual(await requiredKeys("contact"), []);
  assert.deepEqual(await requiredKeys("opportunity"), ["budget"]);
});

test("stages list the fields that rules require at that stage", async () => {
  type Shown = { stages: { id: string; requiredFields: string[] }[] };
  const pipelines = dataOf<Shown[]>(await withRules.call("GET", "/pipelines"));
  const stages = pipelines.flatMap((each) => each.stages).filter(({ requiredFields }) => requiredFields.length > 0);
  assert.deepEqual(Object.fromEntries(stages.map(({ id, requiredFields }) => [id, requiredFields])), {
    [sales.offer]: ["amount", "customFields.since"],
    [sales.contract]: ["amount"],
    [service.review]: ["customFields.since"],
  });
  const pipeline = dataOf<Shown>(await withRules.call("GET", `/pipelines/${sales.id}`));
  assert.deepEqual(
    pipeline.stages.map(({ requiredFields }) => requiredFields),
    [[], ["amount", "customFields.since"], ["amount"]],
  );
});
