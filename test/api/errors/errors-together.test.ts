import assert from "node:assert/strict";
import { test } from "node:test";
import { errorOf, openCrm, sales, two, unknown, verdict } from "../../support/crm.ts";

const rules = [
  { entity: "account", field: "document" },
  { entity: "opportunity", field: "amount", when: { statuses: ["won"] } },
  { entity: "opportunity", field: "externalId", when: { stageIds: [sales.lead] } },
];
const { call, create, send } = await openCrm({ "/rules": rules, "/customFields/0/required": true });

test("POST reports shape errors, references, rules and custom fields together in the order of the model", async () => {
  const body = {
    tittle: "x",
    customFields: { nope: 1, segment: "Nope", size: "1" },
    externalId: 5,
    ownerId: unknown,
    address: { city: 1 },
    website: "x y",
  };
  const result = await call("POST", "/accounts", body);
  const problems = [
    "/tittle unknown_key",
    "/name required",
    "/document required",
    "/website invalid_format",
    "/address/city invalid_type",
    "/ownerId not_found",
    "/externalId invalid_type",
    "/customFields/nope unknown_key",
    "/customFields/note required",
    "/customFields/size invalid_type",
    "/customFields/segment not_an_option",
  ];
  assert.equal(verdict(result), `400 validation_error: ${problems.join(", ")}`);
  assert.match(errorOf(result).message, /^Unknown field "tittle"\. \(and 10 more/);
});

test("without a shape error the code is that of the most severe error", async () => {
  const customFields = { note: "n", nope: 1, segment: "Nope" };
  const listed = "/customFields/nope unknown_key, /customFields/segment not_an_option";
  const reference = await call("POST", "/accounts", { name: "x", ownerId: unknown, customFields });
  assert.equal(verdict(reference), `422 invalid_reference: /document required, /ownerId not_found, ${listed}`);
  const rule = await call("POST", "/accounts", { name: "x", customFields });
  assert.equal(verdict(rule), `422 validation_error: /document required, ${listed}`);
  const custom = await call("POST", "/accounts", { name: "x", document: "D", customFields });
  assert.equal(verdict(custom), `422 unknown_custom_field: ${listed}`);
});

test("PATCH reports shape errors together with the others", async () => {
  const { id } = await create("/accounts", { name: "Patched", document: "D", customFields: { note: "n" } });
  const body = { customFields: { size: "1" }, ownerId: two.member, name: 1, document: null };
  const result = await call("PATCH", `/accounts/${id}`, body);
  const problems = "/name invalid_type, /document required, /ownerId not_found, /customFields/size invalid_type";
  assert.equal(verdict(result), `400 validation_error: ${problems}`);
});

test("the valid entries of a list with an invalid entry are checked too", async () => {
  const body = { name: "Sale", contactIds: ["x", unknown], externalId: "1", customFields: { note: "n" } };
  const result = await call("POST", "/opportunities", body);
  assert.equal(verdict(result), "400 validation_error: /contactIds/0 invalid_format, /contactIds/1 not_found");
});

test("what depends on an invalid field isn't reported", async () => {
  const customFields = { note: "n" };
  const cases: [Record<string, unknown>, string][] = [
    [{ status: "wom", lostReason: "Price", externalId: "1" }, "/status not_an_option"],
    [{ stageId: 5, status: "lost", lostReason: "Weather" }, "/stageId invalid_type"],
    [{ pipelineId: "x" }, "/pipelineId invalid_format"],
    [{ pipelineId: "x", stageId: sales.lead }, "/pipelineId invalid_format, /externalId required_at_stage"],
    [{ status: "lost", lostReason: 5, externalId: "1" }, "/lostReason invalid_type"],
    [{ customFields: 5, externalId: "1" }, "/customFields invalid_type"],
    [{ status: "won", externalId: 1 }, "/amount required_at_status, /externalId invalid_type"],
  ];
  for (const [body, problems] of cases) {
    const result = await call("POST", "/opportunities", { name: "Sale", customFields, ...body });
    assert.equal(verdict(result), `400 validation_error: ${problems}`);
  }
});

test("a record that doesn't exist adds nothing to shape errors", async () => {
  for (const id of [unknown, "x", two.account]) {
    const result = await call("PATCH", `/accounts/${id}`, { name: 1, ownerId: unknown });
    assert.equal(verdict(result), "400 validation_error: /name invalid_type");
  }
});

test("host rules see only requests without shape errors", async () => {
  let calls = 0;
  const rule = async () => [{ path: "/name", code: "not_an_option" as const, message: `${++calls}` }];
  const crm = await openCrm({}, { rules: { account: [rule] } });
  assert.equal(verdict(await crm.call("POST", "/accounts", { name: 1 })), "400 validation_error: /name invalid_type");
  assert.equal(calls, 0);
  assert.equal(
    verdict(await crm.call("POST", "/accounts", { name: "x" })),
    "422 validation_error: /name not_an_option",
  );
});

test("POST with a shape error in the query reports the errors of the body too", async () => {
  const result = await call("POST", "/accounts?limit=1", { name: "x", ownerId: unknown, customFields: { note: "n" } });
  const problems = "?limit unknown_key, /document required, /ownerId not_found";
  assert.equal(verdict(result), `400 validation_error: ${problems}`);
  assert.equal((await send("POST", "/accounts", { key: null, body: { name: 1 } })).status, 401);
});
