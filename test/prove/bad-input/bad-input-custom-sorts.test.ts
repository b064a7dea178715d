import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, verdict } from "../../support/crm.ts";
import { figures } from "../size.ts";
import { customCatalog } from "./custom-catalog.ts";
import { watchedCrm } from "./observed-crm.ts";

/** Every sort of JSON value in a field of every type: each takes its own and tells the others by the right code. */

const { attempt } = await watchedCrm(customCatalog);

/** A field of each type, and what it says of a text that it does not take. */
const fields: Readonly<Record<string, string>> = {
  memo: "",
  size: "invalid_type",
  budget: "invalid_type",
  since: "invalid_format",
  odd: "not_an_option",
  many: "invalid_type",
};

/** What a value is kept as in the fields that take it, or its code there; in all others it is of the wrong type. */
type Said = Readonly<Record<string, string>>;
const number: Said = { size: "=", budget: "=" };
const far: Said = { size: "out_of_range", budget: "out_of_range" };
const text: Said = { memo: "=" };
const broken: Said = { memo: "invalid_format" };
const money: Said = { budget: "=" };

const values: readonly (readonly [json: string, said: Said])[] = [
  ["0", number],
  ["-1", number],
  ["1.5", number],
  ["1e3", { size: "1000", budget: "1000" }],
  ["9007199254740991", number],
  ["1772366400", number],
  ["1e999", far],
  ["-1e999", far],
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

/** What is kept of the value, or by what code it is refused: the same in a POST and in a PATCH. */
async function told(field: string, json: string): Promise<string> {
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

function expected(field: string, json: string, said: Said): string {
  const isText = json.startsWith('"');
  const kept = said[field] ?? (isText ? (fields[field] ?? "") : "");
  if (kept === "nothing") return "null";
  if (kept === "=") return JSON.stringify(JSON.parse(json));
  if (/^[\d[]/.test(kept)) return kept;
  const [, place = "", code = "invalid_type"] = /^(?:(\/\d) )?(\w+)$/.exec(kept) ?? [];
  return `422 invalid_custom_field: /customFields/${field}${place} ${code}`;
}

for (const field of Object.keys(fields)) {
  test(`${field} accepts its own values and rejects ${values.length} kinds of others`, async () => {
    for (const [json, said] of values) assert.equal(await told(field, json), expected(field, json, said), json);
  });
}

test("each custom field type accepts its own values and rejects others with a specific code", (t) =>
  figures(t, "bad-input-custom-sorts", { "values of custom fields": tried }));
