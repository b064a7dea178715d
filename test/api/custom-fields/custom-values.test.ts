import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, one, openCrm, verdict } from "../../support/crm.ts";

const { create, read, send, clock } = await openCrm();

/** Accepted values as JSON. The stored value is after the arrow if it differs. */
const taken = String.raw`
  note: "abc" | "" => nothing | "  " | "null" | "0123456789" | "ääääääääää" | "😀😀😀😀😀😀😀😀😀😀" | "\ud83d\ude00"
  note: "e\u0301e\u0301e\u0301e\u0301e\u0301" | "\n\t\u0001\\\"" | null => nothing
  size: 0 | -1 | 1.5 | 1e300 | 5e-324 | 9007199254740991 | -0.1 | -0 => 0 | 1E2 => 100 | null => nothing
  budget: 5 | 0 | -2.5 | 1e10 | {"amount":1,"currency":"EUR"} | {"currency":"JPY","amount":0} | null => nothing
  budget: {"amount":-0.5,"currency":"USD"} | {"amount":1e3,"currency":"brl"} => {"amount":1000,"currency":"BRL"}
  since: "2026-03-01" | "2024-02-29" | "2000-02-29" | "0001-01-01" | "9999-12-31" | null => nothing
  segment: "SMB" | "Größe" | "smb" => "SMB" | "mID-mARKET" => "Mid-Market" | "GRÖßE" => "Größe" | null => nothing
  segment: "GRÖSSE" => "Größe" | "größe" => "Größe" | "Gro\u0308ße" => "Größe" | "ＳＭＢ" => "SMB" | "ſmb" => "SMB"
  lines: ["Filter"] | ["Beans","Filter"] | ["Filter","Espresso","Beans"] | [] => nothing | null => nothing
  lines: ["beans","FILTER"] => ["Beans","Filter"] | ["Filter","filter","Beans","FILTER"] => ["Filter","Beans"]
`;

/** Rejected values as JSON, by error code. test/prove/bad-input tries more values of other types and odd dates. */
const rejected = String.raw`
  note invalid_type: 1
  note too_long: "01234567890" | "😀😀😀😀😀😀😀😀😀😀😀" | "           " | "e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301"
  note invalid_format: "\ud800" | "\udc00a" | "a\u0000" | "\ude00\ud83d"
  size invalid_type: "1"
  size out_of_range: 1e999 | 1e-400 | 9007199254740993
  budget invalid_type: "5" | {} | {"amount":5} | {"currency":"EUR"}
  budget invalid_type: {"amount":"5","currency":"EUR"} | {"amount":null,"currency":"EUR"} | {"amount":5,"currency":null}
  budget invalid_type: {"amount":5,"currency":978} | {"amount":[5],"currency":"EUR"} | {"amount":1e999,"rate":1}
  budget invalid_type: {"amount":5,"currency":"EUR","rate":1}
  budget out_of_range: 1e999 | {"amount":-1e999,"currency":"EUR"} | {"amount":1e999,"currency":"eur"}
  budget invalid_format: {"amount":5,"currency":"EURO"} | {"amount":5,"currency":"ABC"}
  budget invalid_format: {"amount":5,"currency":""} | {"amount":5,"currency":" EUR"} | {"amount":5,"currency":"E\ud800R"}
  since invalid_type: 20260301
  since invalid_format: "2026-02-29" | "2026-13-01" | "2026-00-10" | "20260301" | " 2026-03-01" | "2026-03-01\n" | ""
  since invalid_format: "2026-03-01T00:00:00Z" | "10000-01-01" | "-2026-03-01"
  segment invalid_type: 1
  segment not_an_option: "SM" | "" | " SMB" | "SMB " | "SMB,Mid-Market" | "0" | "\ud800" | "constructor"
  lines invalid_type: "Filter"
  lines/1 invalid_type: ["Filter",null]
  lines/0 not_an_option: ["Tea"] | [""] | ["Filter,Beans"] | ["\ud800"] | ["length"] | [" Filter"] | ["Fi lter"]
  lines/1 not_an_option: ["Filter","Tea"]
`;

/** Returns the text before the colon with each of the values after it. */
function casesOf(table: string): (readonly [string, string])[] {
  const lines = table.trim().split("\n");
  return lines.flatMap((line) => {
    const [, head = "", values = ""] = /^ *([\w/ ]+): (.*)$/.exec(line) ?? [];
    return values.split(" | ").map((value): [string, string] => [head, value]);
  });
}

const paths = ["/accounts", "/contacts", "/opportunities"];
let names = 0;

function sendValue(method: "POST" | "PATCH", path: string, field: string, json: string) {
  clock.advance(1_000);
  const raw = `{"name":"Raw ${++names}","customFields":{"${field}":${json}}}`;
  return send(method, path, { key: one.key, raw });
}

for (const [field, value] of casesOf(taken)) {
  const [json = "", stored = json] = value.split(" => ");
  test(`${field} accepts ${json} and stores ${stored}, on create and in a PATCH`, async () => {
    const customFields = stored === "nothing" ? {} : { [field]: JSON.parse(stored) };
    for (const path of paths) {
      const made = dataOf(await sendValue("POST", path, field, json), 201);
      assert.deepEqual(made.customFields, customFields);
      assert.deepEqual(await read(`${path}/${made.id}`), made);
      const other = await create(path, { name: `Other ${++names}` });
      const changed = dataOf(await sendValue("PATCH", `${path}/${other.id}`, field, json));
      assert.deepEqual(changed.customFields, customFields);
      assert.deepEqual(await read(`${path}/${other.id}`), changed);
    }
  });
}

for (const [placeAndCode, json] of casesOf(rejected)) {
  const [fieldPath = "", code = ""] = placeAndCode.split(" ");
  const [field = ""] = fieldPath.split("/");
  test(`${field} rejects ${json} with ${code}, on create and in a PATCH`, async () => {
    for (const path of paths) {
      const before = await create(path, { name: `Stored ${++names}` });
      const made = await sendValue("POST", path, field, json);
      assert.equal(verdict(made), `422 invalid_custom_field: /customFields/${fieldPath} ${code}`);
      assert.equal((await sendValue("PATCH", `${path}/${before.id}`, field, json)).text, made.text);
      assert.deepEqual(await read(`${path}/${before.id}`), before);
    }
  });
}
