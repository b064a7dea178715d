import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, verdict } from "../../support/crm.ts";
import { figures } from "../size.ts";
import { customCatalog } from "./custom-catalog.ts";
import { watchedCrm } from "./observed-crm.ts";

const { attempt } = await watchedCrm(customCatalog);
let tried = 0;

let names = 0;

/** Sends values in a POST and in a PATCH of another record. Returns the result, which must be the same. */
async function both(path: string, id: string, customFields: string): Promise<string> {
  const raw = `{"name":"Custom ${++names}","customFields":${customFields}}`;
  const changed = await attempt("PATCH", `${path}/${id}`, { raw });
  const made = await attempt("POST", path, { raw: raw.replace(/Custom \d+/, `Custom ${++names}`) });
  tried += 2;
  const stored = [made, changed].map((result) =>
    result.status < 400 ? JSON.stringify(dataOf(result, result.status).customFields) : verdict(result),
  );
  assert.equal(stored[0], stored[1], customFields);
  return stored[0] ?? "";
}

const long = (count: number, text = "x"): string => JSON.stringify(text.repeat(count));

/** A value of a field, and the stored value or the error code. */
const values = String.raw`
  tag "x" = | "😀" = | "\ud83d\ude00" = "😀" | " " = | "xy" too_long | "e\u0301" too_long | "\u200d\u200d" too_long | "🇪🇺" too_long
  memo ${long(255)} = | ${long(255, "😀")} = | ${long(256)} too_long | ${long(256, "😀")} too_long | ${long(1_000_000)} too_long
  memo "\u202e\u2066" = | "\u0000" invalid_format | "\ud800\ud800" invalid_format | {"__proto__":1} invalid_type | [[]] invalid_type
  essay ${long(10_000, "é")} = | ${long(10_001, "é")} too_long | "\n\r\t" = | "\ufeff" = | "\ufffe\uffff" =
  size 123456789012345678901234567890 out_of_range | 0.1 = | -0.0 = 0 | 1.0 = 1 | 1e-7 = 1e-7 | 1e21 = 1e+21 | 1e22 = 1e+22
  size 9007199254740993 out_of_range | 5e-325 out_of_range | 4.9e-324 out_of_range | 5e-324 = | 1e308 = 1e+308 | 1.8e308 out_of_range | -1e400 out_of_range
  size "1e5" invalid_type | "NaN" invalid_type | "Infinity" invalid_type | "0x10" invalid_type | "1,5" invalid_type | [[1]] invalid_type
  budget 0.005 = | 1e-400 out_of_range | 1e999 out_of_range | {"amount":1e999,"currency":"QQQ"} out_of_range | {"amount":-0,"currency":"EUR"} = {"amount":0,"currency":"EUR"}
  budget {"currency":"EUR","amount":1} = {"amount":1,"currency":"EUR"} | {"amount":1,"currency":"KWD"} = | {"amount":1.23456,"currency":"JPY"} =
  budget {"amount":1,"currency":"ＥＵＲ"} invalid_format | {"amount":1,"currency":"EUR\u0000"} invalid_format | {"amount":1,"currency":"\ud800"} invalid_format
  budget {"amount":1,"currency":["EUR"]} invalid_type | {"amount":true,"currency":"EUR"} invalid_type | {"Amount":1,"Currency":"EUR"} invalid_type
  budget {"amount":1,"currency":"EUR","":1} invalid_type | {"amount":1,"currency":"EUR","constructor":1} invalid_type | {"value":1} invalid_type
  since "2024-02-29" = | "2400-02-29" = | "1600-02-29" = | "0004-02-29" = | "2023-02-29" invalid_format | "2100-02-29" invalid_format | "2026-06-31" invalid_format
  since "2026-09-31" invalid_format | "2026-11-31" invalid_format | "2026-12-32" invalid_format | "2026-1-01" invalid_format | "26-01-01" invalid_format
  since "+2026-01-01" invalid_format | "2026/01/01" invalid_format | "2026.01.01" invalid_format | "2026-01-01Z" invalid_format | "２０２６-01-01" invalid_format
  since "2026-W01-1" invalid_format | "2026-001" invalid_format | "Jan 1, 2026" invalid_format | "now" invalid_format | "\u0000" invalid_format | 1772366400 invalid_type
  odd "Constructor" = "constructor" | "__PROTO__" = "__proto__" | "NULL" = "null" | "TRUE" = "true" | " EDGE " = " edge " | "A,B" = "a,b" | "ω" = "Ω" | "FIN" = "ﬁn"
  odd "SS" = "ß" | "ẞ" = "ß" | "\u00e9te\u0301" = "e\u0301t\u00e9" | "E\u0301TE\u0301" = "e\u0301t\u00e9" | ${long(255, "a")} = ${long(255, "A")} | "İSTANBUL" = "İstanbul"
  odd "edge" not_an_option | "a" not_an_option | "a, b" not_an_option | "toString" not_an_option | "ete" not_an_option | "istanbul" not_an_option | "s" not_an_option
  odd "0.0" not_an_option | "0 " not_an_option | "xyz" not_an_option | "*" not_an_option | "😁" not_an_option | 0 invalid_type | true invalid_type | {"constructor":1} invalid_type
  many ["NULL","null","0"] = ["null","0"] | ["SS","ß","ẞ"] = ["ß"] | ["__proto__"] = | [" edge ","😀"] = | {"length":0} invalid_type | "null" invalid_type
  many/0 [null] invalid_type | [0] invalid_type | [[]] invalid_type | [{"0":"ß"}] invalid_type | [true,"ß"] invalid_type | ["edge"] not_an_option | [""] not_an_option
  many/2 ["ß","null","x"] not_an_option | ["ß","ß",null] invalid_type | ["😀","0",["0"]] invalid_type
  constructor "mine" = | 1 invalid_type | {} invalid_type
`;

for (const line of values.trim().split("\n")) {
  const [fieldPath = "", ...rest] = line.trim().split(" ");
  const [key = ""] = fieldPath.split("/");
  test(`${fieldPath} ${rest.join(" ").slice(0, 80)}`, async () => {
    for (const each of rest.join(" ").split(" | ")) {
      const [, json = "", stored, code] = /^(.*?) (?:=(?: (.*))?|([a-z_]+))$/su.exec(each) ?? assert.fail(each);
      const expected =
        code === undefined
          ? `{"${key}":${JSON.stringify(JSON.parse(stored ?? json))}}`
          : `422 invalid_custom_field: /customFields/${fieldPath} ${code}`;
      const { id } = dataOf(await attempt("POST", "/accounts", { body: { name: `Other ${++names}` } }), 201);
      assert.equal(await both("/accounts", id, `{"${key}":${json}}`), expected);
    }
  });
}

test("POST and PATCH accept and reject custom field values as documented", (t) =>
  figures(t, "bad-input-custom-fields", { "custom values": tried }));
