import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, verdict } from "../../support/crm.ts";
import { figures } from "../size.ts";
import { customCatalog } from "./custom-catalog.ts";
import { watchedCrm } from "./observed-crm.ts";

/** Sends every kind of JSON value to a field of every type. */

const { attempt } = await watchedCrm(customCatalog);

/** A field of each type, and the code for a text that it rejects. */
const fields: Readonly<Record<string, string>> = {
  memo: "",
  size: "invalid_type",
  budget: "invalid_type",
  since: "invalid_format",
  odd: "not_an_option",
  many: "invalid_type",
};

/** The stored value or the error code per field. In all other fields the value has the wrong type. */
type Outcomes = Readonly<Record<string, string>>;
const number: Outcomes = { size: "=", budget: "=" };
const outOfRange: Outcomes = { size: "out_of_range", budget: "out_of_range" };
const text: Outcomes = { memo: "=" };
const broken: Outcomes = { memo: "invalid_format" };
const money: Outcomes = { budget: "=" };

const values: readonly (readonly [json: string, outcomes: Outcomes])[] = [
  ["0", number],
  ["-1", number],
  ["1.5", number],
  ["1e3", { size: "1000", budget: "1000" }],
  ["9007199254740991", number],
  ["1772366400", number],
  ["1e999", outOfRange],
  ["-1e999", outOfRange],
  ["true", {}],
  ["false", {}],
  ['""', { memo: "nothing" }],
  ['" "', text],
  ['"x"', text],
  ['"0.5"', text],
  ['"true"', { ...text, odd: "=" }],
  ['"null"', { ...text, odd: "=" }],
  ['"0"', { ...text, odd: "=" }],
  ['"EUR"', text],
  ['"2026-03-01"', { ...text, since: "=" }],
  ['"2026-02-30"', text],
  ['"2026-03-01T00:00:00Z"', text],
  ['"\\u0000"', broken],
  ['"\\ud800"', broken],
  ['"\\u202e"', text],
  ['"[]"', text],
  ["[]", { many: "nothing" }],
  ['["null"]', { many: "=" }],
  ['["null","0","null"]', { many: '["null","0"]' }],
  ['["x"]', { many: "/0 not_an_option" }],
  ['["0","2026-03-01"]', { many: "/1 not_an_option" }],
  ["[0]", { many: "/0 invalid_type" }],
  ["[null]", { many: "/0 invalid_type" }],
  ["[[]]", { many: "/0 invalid_type" }],
  ["[{}]", { many: "/0 invalid_type" }],
  ["{}", {}],
  ['{"amount":1}', {}],
  ['{"amount":1,"currency":"EUR"}', money],
  ['{"amount":1,"currency":"EUR","rate":2}', {}],
  ['{"amount":1,"currency":"XXQ"}', { budget: "invalid_format" }],
  ['{"value":"x"}', {}],
  ['{"__proto__":{}}', {}],
  ["null", Object.fromEntries(Object.keys(fields).map((field) => [field, "nothing"]))],
];

let [names, tried] = [0, 0];

/** Returns the stored value or the error code, which must be the same in a POST and a PATCH. */
async function outcomeOf(field: string, json: string): Promise<string> {
  const raw = () => `{"name":"Sorts ${++names}","customFields":{"${field}":${json}}}`;
  const { id } = dataOf(await attempt("POST", "/accounts", { body: { name: `Other ${++names}` } }), 201);
  const results = [
    await attempt("POST", "/accounts", { raw: raw() }),
    await attempt("PATCH", `/accounts/${id}`, { raw: raw() }),
  ];
  const [made, changed] = results.map((result) => {
    if (result.status >= 400) return verdict(result);
    return JSON.stringify((dataOf(result, result.status).customFields as Record<string, unknown>)[field] ?? null);
  });
  assert.equal(made, changed, json);
  tried++;
  return made ?? "";
}

function expected(field: string, json: string, outcomes: Outcomes): string {
  const isText = json.startsWith('"');
  const stored = outcomes[field] ?? (isText ? (fields[field] ?? "") : "");
  if (stored === "nothing") return "null";
  if (stored === "=") return JSON.stringify(JSON.parse(json));
  if (/^[\d[]/.test(stored)) return stored;
  const [, path = "", code = "invalid_type"] = /^(?:(\/\d) )?(\w+)$/.exec(stored) ?? [];
  return `422 invalid_custom_field: /customFields/${field}${path} ${code}`;
}

for (const field of Object.keys(fields)) {
  test(`${field} accepts its own values and rejects ${values.length} kinds of others`, async () => {
    for (const [json, outcomes] of values)
      assert.equal(await outcomeOf(field, json), expected(field, json, outcomes), json);
  });
}

test("each custom field type accepts its own values and rejects others with a specific code", (t) =>
  figures(t, "bad-input-custom-types", { "values of custom fields": tried }));
