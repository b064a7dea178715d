import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, errorOf, one, openCrm, unknown, verdict } from "../../support/crm.ts";

const { call, create, read, send, clock } = await openCrm();
const path = `/accounts/${one.account}`;

/** Invalid values, and the complete expected error. */
const cases: readonly (readonly [Record<string, unknown>, Record<string, unknown>])[] = [
  [
    { segment: "SMBB" },
    {
      code: "not_an_option",
      message: 'customFields.segment must be one of: SMB, Mid-Market, Größe. Did you mean "SMB"?',
      suggestion: "SMB",
      allowed: ["SMB", "Mid-Market", "Größe"],
    },
  ],
  [
    { segment: "Partner" },
    {
      code: "not_an_option",
      message: "customFields.segment must be one of: SMB, Mid-Market, Größe.",
      allowed: ["SMB", "Mid-Market", "Größe"],
    },
  ],
  [
    { note: "x".repeat(5000) },
    {
      code: "too_long",
      message: "customFields.note must be at most 10 characters long; the value has 5000.",
      limits: { maxLength: 10 },
    },
  ],
  [
    { budget: { amount: 1, currency: "EURO" } },
    {
      code: "invalid_format",
      message: 'customFields.budget must have an ISO 4217 currency such as EUR, not "EURO". Did you mean "EUR"?',
      suggestion: "EUR",
    },
  ],
  [
    { budget: "1" },
    {
      code: "invalid_type",
      message: 'customFields.budget must be a number or { "amount": number, "currency": code }.',
    },
  ],
  [
    { since: "2026-02-30" },
    { code: "invalid_format", message: "customFields.since must be a date that exists. There is no 2026-02-30." },
  ],
];

for (const [customFields, problem] of cases) {
  const [key = ""] = Object.keys(customFields);
  test(`${JSON.stringify(customFields).slice(0, 60)} returns: ${problem.message}`, async () => {
    const { message } = problem;
    const errors = [{ path: `/customFields/${key}`, ...problem }];
    const rejected = await call("PATCH", path, { customFields });
    assert.deepEqual(rejected.body, { error: { code: "invalid_custom_field", message, details: { errors } } });
  });
}

test("each invalid entry of a multi_list has its own path and hint", async () => {
  const lines = ["Filter", "expreso", "ESPRESSO", 7, null, "Tea", ["Beans"], "bean"];
  const allowed = ["Filter", "Espresso", "Beans"];
  const option = (at: number, suggestion?: string) => ({
    path: `/customFields/lines/${at}`,
    code: "not_an_option",
    message: `customFields.lines.${at} must be one of: Filter, Espresso, Beans.${suggestion ? ` Did you mean "${suggestion}"?` : ""}`,
    ...(suggestion && { suggestion }),
    allowed,
  });
  const type = (at: number) => ({
    path: `/customFields/lines/${at}`,
    code: "invalid_type",
    message: `customFields.lines.${at} must be one of the field's options, as a string.`,
  });
  const errors = [option(1, "Espresso"), type(3), type(4), option(5), type(6), option(7, "Beans")];
  const message = `${errors[0]?.message} (and 5 more: see details.errors)`;
  const rejected = await call("PATCH", path, { customFields: { lines } });
  assert.deepEqual(rejected.body, { error: { code: "invalid_custom_field", message, details: { errors } } });
});

test("PATCH with 1,000 wrong entries in a list counts them all in under 64 KiB", async () => {
  const lines = Array.from({ length: 1_000 }, (_, index) => index.toString(36));
  const rejected = await call("PATCH", path, { customFields: { lines } });
  assert.equal(errorOf(rejected).details?.errorCount, lines.length);
  assert.ok(Buffer.byteLength(rejected.text) <= 65_536, `${Buffer.byteLength(rejected.text)} bytes`);
});

for (const letter of ["x", "é", "漢", "😀", '"', "\u0001"]) {
  test(`an error stays under 64 KiB with options of ${JSON.stringify(letter)}`, async () => {
    const options = Array.from({ length: 30 }, (_, index) => `${letter.repeat(240)}${index}`);
    const field = { entity: "account", label: "Long", options };
    const [list, lists] = [`l${"k".repeat(63)}`, `m${"k".repeat(63)}`];
    const fields = [
      { ...field, key: list, type: "list" },
      { ...field, key: lists, type: "multi_list", required: true },
    ];
    const crm = await openCrm({ "/customFields": fields });
    for (const customFields of [{}, { [list]: "x" }, { [list]: 1, [lists]: ["x", "y", letter.repeat(250)] }]) {
      const { status, text } = await crm.call("POST", "/accounts", { name: "x", customFields });
      assert.equal(status, 422);
      assert.ok(Buffer.byteLength(text) <= 65_536, `${Buffer.byteLength(text)} bytes`);
    }
  });
}

test("an unknown custom field returns a hint with the closest key", async () => {
  const suggestions = {
    segmnt: "segment",
    Size: "size",
    SINCE: "since",
    note_: "note",
    colour: undefined,
    x: undefined,
  };
  for (const [key, suggestion] of Object.entries(suggestions)) {
    const hint = suggestion === undefined ? "" : ` Did you mean "${suggestion}"?`;
    const message = `Unknown custom field "${key}".${hint}`;
    const rejected = await call("POST", "/contacts", { name: "x", customFields: { [key]: null } });
    const allowed = ["note", "size", "budget", "since", "segment", "lines"];
    const suggested = suggestion === undefined ? {} : { suggestion };
    const errors = [{ path: `/customFields/${key}`, code: "unknown_key", message, ...suggested, allowed }];
    assert.equal(rejected.status, 422);
    assert.deepEqual(rejected.body, { error: { code: "unknown_custom_field", message, details: { errors } } });
  }
});

test("every invalid custom field is reported at once, in the order of the catalog", async () => {
  const customFields = { size: "4", colour: 1, since: "x", segment: "y", lines: "z", budget: {}, note: 1 };
  const first = ["colour unknown_key", "note invalid_type", "size invalid_type", "budget invalid_type"];
  const all = [...first, "since invalid_format", "segment not_an_option", "lines invalid_type"];
  const rejected = await call("PATCH", path, { customFields });
  assert.equal(verdict(rejected), `422 unknown_custom_field: ${all.map((each) => `/customFields/${each}`).join(", ")}`);
});

test("the code is that of the first kind of error: reference, rule, unknown key, invalid value", async () => {
  const wrong = { size: "4" };
  const kinds = [
    ["invalid_reference", { ownerId: unknown }, "/ownerId not_found"],
    ["validation_error", { status: "lost" }, "/lostReason required_at_status"],
    ["unknown_custom_field", { customFields: { ...wrong, colour: 1 } }, "/customFields/colour unknown_key"],
    ["invalid_custom_field", { customFields: wrong }, "/customFields/size invalid_type"],
  ] as const;
  const { id } = await create("/opportunities", { name: "x" });
  for (const [index, [code]] of kinds.entries()) {
    const rest = kinds.slice(index);
    const body = Object.assign({ name: "x" }, ...rest.map(([, member]) => member).reverse());
    for (const rejected of [
      await call("POST", "/opportunities", body),
      await call("PATCH", `/opportunities/${id}`, body),
    ]) {
      assert.equal(rejected.status, 422);
      const { details, ...error } = errorOf(rejected);
      assert.equal(error.code, code);
      const problems = (details?.errors ?? []).map((problem) => `${problem.path} ${problem.code}`);
      assert.deepEqual(new Set(problems), new Set(rest.map(([, , problem]) => problem)));
    }
  }
});

/** Keys as JSON writes them, and the path of the problem. */
const unusualKeys: readonly (readonly [string, string])[] = [
  ["__proto__", "/__proto__"],
  ["\\u005f_proto__", "/__proto__"],
  ["constructor", "/constructor"],
  ["toString", "/toString"],
  ["hasOwnProperty", "/hasOwnProperty"],
  ["", "/"],
  ["a/b~c", "/a~1b~0c"],
  ["customFields.size", "/customFields.size"],
  ["\\ud800", "/\ufffd"],
  ["k".repeat(200), `/${"k".repeat(100)}`],
];

for (const [key, problemPath] of unusualKeys) {
  test(`the unknown key "${key.slice(0, 30)}" is rejected and changes nothing`, async () => {
    const before = await read(path);
    for (const value of ["1", "null", '{"size":7}']) {
      clock.advance(1_000);
      const raw = `{"name":"Invalid","customFields":{"${key}":${value}}}`;
      const made = await send("POST", "/accounts", { key: one.key, raw });
      assert.equal(verdict(made), `422 unknown_custom_field: /customFields${problemPath} unknown_key`);
      assert.equal((await send("PATCH", path, { key: one.key, raw })).text, made.text);
    }
    assert.deepEqual(await read(path), before);
    assert.equal(Reflect.get({}, "size"), undefined);
    assert.deepEqual(dataOf(await call("GET", "/accounts?name=invalid")), []);
  });
}
