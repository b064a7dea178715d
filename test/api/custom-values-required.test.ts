import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, errorOf, one, openCrm, verdict } from "../support/crm.ts";

/** Of accounts, a text, a list and a list of several are required. */
const required = {
  "/customFields/0/required": true,
  "/customFields/4/required": true,
  "/customFields/5/required": true,
};
const { call, create, read } = await openCrm(required);

const values = { note: "n", segment: "SMB", lines: ["Beans"] };

test("required custom fields that a POST leaves out are told at once, by the codes of a missing field", async () => {
  for (const body of [{ name: "x" }, { name: "x", customFields: {} }]) {
    const refused = await call("POST", "/accounts", body);
    assert.equal(refused.status, 422);
    const wanted = [
      ["note", "a text of at most 10 characters"],
      ["segment", "one of: SMB, Mid-Market, Größe", ["SMB", "Mid-Market", "Größe"]],
      ["lines", "a list of some of: Filter, Espresso, Beans", ["Filter", "Espresso", "Beans"]],
    ] as const;
    const errors = wanted.map(([key, what, allowed]) => {
      const problem = { code: "required", message: `customFields.${key} is required, as ${what}.` };
      return { path: `/customFields/${key}`, ...problem, ...(allowed && { allowed }) };
    });
    const message = `${errors[0]?.message} (and 2 more: see details.errors)`;
    assert.deepEqual(refused.body, { error: { code: "validation_error", message, details: { errors } } });
  }
});

test("another entity's required fields are not asked for", async () => {
  assert.deepEqual((await create("/contacts", { name: "x" })).customFields, {});
});

test("a required field that is null, an empty text or an empty list is an invalid value, on create and in a PATCH", async () => {
  const { id } = await create("/accounts", { name: "Kept", customFields: values });
  for (const empty of [{ note: null }, { note: "" }, { segment: null }, { lines: null }, { lines: [] }]) {
    const [key = ""] = Object.keys(empty);
    const made = await call("POST", "/accounts", { name: "x", customFields: { ...values, ...empty } });
    assert.equal(made.status, 422);
    const message = `customFields.${key} is required and can't be removed.`;
    const errors = [{ path: `/customFields/${key}`, code: "required", message }];
    assert.deepEqual(made.body, { error: { code: "invalid_custom_field", message, details: { errors } } });
    assert.equal((await call("PATCH", `/accounts/${id}`, { customFields: empty })).text, made.text);
  }
  assert.deepEqual((await read(`/accounts/${id}`)).customFields, values);
});

test("a required field with a wrong value is told once, as wrong, beside those that are missing", async () => {
  const refused = await call("POST", "/accounts", { name: "x", customFields: { note: 1, segment: "y" } });
  const problems = [
    "/customFields/note invalid_type",
    "/customFields/segment not_an_option",
    "/customFields/lines required",
  ];
  assert.equal(verdict(refused), `422 validation_error: ${problems.join(", ")}`);
});

test("a required list with a wrong entry is told of the entry, not that it is missing", async () => {
  const customFields = { ...values, lines: ["Tea"] };
  const refused = await call("POST", "/accounts", { name: "x", customFields });
  assert.equal(verdict(refused), "422 invalid_custom_field: /customFields/lines/0 not_an_option");
});

test("an account from before a field was required can be changed without it", async () => {
  const before = await read(`/accounts/${one.account}`);
  assert.deepEqual(before.customFields, {});
  const named = dataOf(await call("PATCH", `/accounts/${one.account}`, { ...before, phone: "1" }));
  assert.equal(named.phone, "1");
  const sized = dataOf(await call("PATCH", `/accounts/${one.account}`, { customFields: { size: 1 } }));
  assert.deepEqual(sized.customFields, { size: 1 });
});

test("a required number may be 0; one that is missing is told as a number, a currency and a day as what they are", async () => {
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

test("a required field is missing where it is not the record's own, though it be called constructor", async () => {
  const crm = await openCrm({ "/customFields/0/required": true, "/customFields/0/key": "constructor" });
  const customFields = { constructor: "mine" };
  assert.deepEqual((await crm.create("/accounts", { name: "x", customFields })).customFields, customFields);
  const refused = await crm.call("POST", "/accounts", { name: "y" });
  assert.equal(verdict(refused), "422 validation_error: /customFields/constructor required");
});
