import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, errorOf, one, openCrm, verdict } from "../../support/crm.ts";

/** Of accounts, a text, a list and a list of several are required. */
const required = {
  "/customFields/0/required": true,
  "/customFields/4/required": true,
  "/customFields/5/required": true,
};
const { call, create, read } = await openCrm(required);

const values = { note: "n", segment: "SMB", lines: ["Beans"] };

test("POST returns 422 with every missing required custom field", async () => {
  for (const body of [{ name: "x" }, { name: "x", customFields: {} }]) {
    const rejected = await call("POST", "/accounts", body);
    assert.equal(rejected.status, 422);
    const wanted = [
      ["note", "text, at most 10 characters"],
      ["segment", "one of: SMB, Mid-Market, Größe", ["SMB", "Mid-Market", "Größe"]],
      ["lines", "list of: Filter, Espresso, Beans", ["Filter", "Espresso", "Beans"]],
    ] as const;
    const errors = wanted.map(([key, what, allowed]) => {
      const problem = { code: "required", message: `customFields.${key} is required (${what}).` };
      return { path: `/customFields/${key}`, ...problem, ...(allowed && { allowed }) };
    });
    const message = `${errors[0]?.message} (and 2 more: see details.errors)`;
    assert.deepEqual(rejected.body, { error: { code: "validation_error", message, details: { errors } } });
  }
});

test("required custom fields of another entity don't apply", async () => {
  assert.deepEqual((await create("/contacts", { name: "x" })).customFields, {});
});

test("POST and PATCH return 422 for an empty value in a required custom field", async () => {
  const { id } = await create("/accounts", { name: "Stored", customFields: values });
  for (const empty of [
    { note: null },
    { note: "" },
    { note: " " },
    { segment: null },
    { lines: null },
    { lines: [] },
  ]) {
    const [key = ""] = Object.keys(empty);
    const made = await call("POST", "/accounts", { name: "x", customFields: { ...values, ...empty } });
    assert.equal(made.status, 422);
    const problem = typeof Object.values(empty)[0] === "string" ? "must not be empty" : "can't be removed";
    const message = `customFields.${key} is required and ${problem}.`;
    const errors = [{ path: `/customFields/${key}`, code: "required", message }];
    assert.deepEqual(made.body, { error: { code: "invalid_custom_field", message, details: { errors } } });
    assert.equal((await call("PATCH", `/accounts/${id}`, { customFields: empty })).text, made.text);
  }
  assert.deepEqual((await read(`/accounts/${id}`)).customFields, values);
});

test("a required field with an invalid value is reported once, next to missing fields", async () => {
  const rejected = await call("POST", "/accounts", { name: "x", customFields: { note: 1, segment: "y" } });
  const problems = [
    "/customFields/note invalid_type",
    "/customFields/segment not_an_option",
    "/customFields/lines required",
  ];
  assert.equal(verdict(rejected), `422 validation_error: ${problems.join(", ")}`);
});

test("a required list with an invalid entry reports the entry, not a missing field", async () => {
  const customFields = { ...values, lines: ["Tea"] };
  const rejected = await call("POST", "/accounts", { name: "x", customFields });
  assert.equal(verdict(rejected), "422 invalid_custom_field: /customFields/lines/0 not_an_option");
});

test("an account from before a field was required can be changed without it", async () => {
  const before = await read(`/accounts/${one.account}`);
  assert.deepEqual(before.customFields, {});
  const named = dataOf(await call("PATCH", `/accounts/${one.account}`, { ...before, phone: "1" }));
  assert.equal(named.phone, "1");
  const sized = dataOf(await call("PATCH", `/accounts/${one.account}`, { customFields: { size: 1 } }));
  assert.deepEqual(sized.customFields, { size: 1 });
});

test("a required number can be 0, and the message of a missing field names its type", async () => {
  const edits = {
    "/customFields/7/required": true,
    "/customFields/8/required": true,
    "/customFields/9/required": true,
  };
  const crm = await openCrm({ "/customFields/1/required": true, ...edits });
  const { details } = errorOf(await crm.call("POST", "/contacts", { name: "x" }));
  assert.deepEqual(
    details?.errors?.map(({ message }) => message),
    [
      "customFields.size is required (number).",
      'customFields.budget is required (number or { "amount": number, "currency": code }).',
      "customFields.since is required (date, YYYY-MM-DD).",
    ],
  );
  assert.deepEqual((await crm.create("/accounts", { name: "x", customFields: { size: 0 } })).customFields, { size: 0 });
});

test("a required field named constructor is reported if it is missing", async () => {
  const crm = await openCrm({ "/customFields/0/required": true, "/customFields/0/key": "constructor" });
  const customFields = { constructor: "mine" };
  assert.deepEqual((await crm.create("/accounts", { name: "x", customFields })).customFields, customFields);
  const rejected = await crm.call("POST", "/accounts", { name: "y" });
  assert.equal(verdict(rejected), "422 validation_error: /customFields/constructor required");
});
