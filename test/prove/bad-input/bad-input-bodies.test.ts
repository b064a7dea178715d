import assert from "node:assert/strict";
import { test } from "node:test";
import { one, sales, two, verdict } from "../../support/crm.ts";
import { figures } from "../size.ts";
import { watchedCrm } from "./observed-crm.ts";
import { operationsOf } from "./operations.ts";

const { api, webhook, attempt } = await watchedCrm();
const operations = operationsOf({ api, webhook });
let tried = 0;

const bytes = (...parts: (string | number[])[]) =>
  new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.of(...part)))),
  );
const nested = (depth: number, open = "[", close = "]"): string =>
  `{"a":${open.repeat(depth - 1)}${close.repeat(depth - 1)}}`;
const mebibyte = 1_048_576;

/** Bodies that aren't a JSON object. An empty text is no body. */
const unreadable: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>> = {
  blanks: " ",
  "white space of all four kinds": " \t\r\n",
  "a form feed": "\f{}",
  "a no-break space": "\u00a0{}",
  "a byte order mark alone": bytes([0xef, 0xbb, 0xbf]),
  "two byte order marks": bytes([0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf], "{}"),
  "UTF-16 with its mark": bytes([0xff, 0xfe, 0x7b, 0, 0x7d, 0]),
  "UTF-16 without": bytes([0x7b, 0, 0x7d, 0]),
  "UTF-32": bytes([0x7b, 0, 0, 0, 0x7d, 0, 0, 0]),
  "an unclosed object": "{",
  "a key alone": '{"a"}',
  "a key and a colon": '{"a":}',
  "a comma alone": "{,}",
  "a comma at the end": '{"a":1,}',
  "two commas": '{"a":1,,"b":2}',
  "no comma": '{"a":1 "b":2}',
  "a comma in a list's end": '{"a":[1,]}',
  "a semicolon": '{"a":1;"b":2}',
  "an equals sign": '{"a"=1}',
  "single quotes": "{'a':1}",
  "no quotes": "{a:1}",
  "typographic quotes": "{“a”:1}",
  "a comment of a line": '{"a":1} // so',
  "a comment in between": '{/* so */"a":1}',
  "a hash comment": '# so\n{"a":1}',
  NaN: '{"a":NaN}',
  Infinity: '{"a":-Infinity}',
  undefined: '{"a":undefined}',
  "True as in Python": '{"a":True}',
  "a number with a plus": '{"a":+1}',
  "a number with a zero before": '{"a":01}',
  "a number with a point at the end": '{"a":1.}',
  "a number with a point at the front": '{"a":.5}',
  "a number in hex": '{"a":0x10}',
  "a number with underscores": '{"a":1_000}',
  "a number with an empty exponent": '{"a":1e}',
  "a minus alone": '{"a":-}',
  "a BigInt": '{"a":1n}',
  "a line break in a text": '{"a":"b\nc"}',
  "a tab in a text": '{"a":"b\tc"}',
  "a NUL in a text": '{"a":"b\0c"}',
  "a NUL after the object": "{}\0",
  "an unknown escape": '{"a":"\\x41"}',
  "half an escape": '{"a":"\\u00"}',
  "an escape with braces": '{"a":"\\u{41}"}',
  "an unclosed text": '{"a":"b',
  "two objects": "{}{}",
  "two objects on two lines": "{}\n{}",
  "an object and a bracket": "{}]",
  "the wrong bracket": '{"a":[1}]',
  null: "null",
  true: "true",
  "a number": "0",
  "a text": '"{}"',
  "an empty list": "[]",
  "a list of objects": '[{"name":"a"}]',
  "Latin-1": bytes('{"a":"Caf', [0xe9], '"}'),
  "UTF-8 that is cut off": bytes('{"a":"', [0xf0, 0x9f, 0x98], '"}'),
  "a continuation byte without a first byte": bytes('{"a":"', [0x80], '"}'),
  "an overlong slash": bytes('{"a":"', [0xc0, 0xaf], '"}'),
  "an overlong NUL": bytes('{"a":"', [0xc0, 0x80], '"}'),
  "a raw surrogate": bytes('{"a":"', [0xed, 0xa0, 0x80], '"}'),
  "two raw surrogates": bytes('{"a":"', [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80], '"}'),
  "a character beyond Unicode": bytes('{"a":"', [0xf4, 0x90, 0x80, 0x80], '"}'),
  "a byte that UTF-8 has not": bytes('{"a":"', [0xff], '"}'),
  "broken UTF-8 in a key": bytes('{"', [0xc3], '":1}'),
  "a key twice": '{"a":1,"a":1}',
  "a key twice, once in escapes": '{"a":1,"\\u0061":1}',
  "a key twice, both in other escapes": '{"\\u00e9":1,"\\u00E9":1}',
  "a slash twice, once in an escape": '{"/":1,"\\/":1}',
  "a key twice, far apart": `{"a":1,${Array.from({ length: 1_000 }, (_, index) => `"k${index}":${index}`)},"a":2}`,
  "a key twice, deep inside": `{"a":${'{"b":['.repeat(8)}{"c":1,"c":2}${"]}".repeat(8)}}`,
  "tenantId twice": `{"tenantId":"${two.id}","tenantId":"${one.id}"}`,
  "__proto__ twice": '{"__proto__":{},"__proto__":{}}',
  "33 lists in each other": nested(33),
  "33 objects in each other": nested(33, '{"a":', "}").replace('{"a":}', "{}"),
  "a list and an object by turns, 34 deep": nested(18, '[{"a":', "}]").replace('{"a":}', "{}"),
  "200,000 lists in each other": nested(200_000),
  "200,000 that are not closed": "[".repeat(200_000),
};

for (const { name, method, path } of operations) {
  test(`${name} rejects ${Object.keys(unreadable).length} bodies that aren't JSON objects`, {
    timeout: 60_000,
  }, async () => {
    for (const [what, raw] of Object.entries(unreadable)) {
      assert.equal(verdict(await attempt(method, path, { raw })), "400 bad_request", what);
      tried++;
    }
  });
}

test("one byte order mark before the object is ignored", async () => {
  const raw = bytes([0xef, 0xbb, 0xbf], '{"title":"Marked"}');
  assert.equal(verdict(await attempt("POST", "/tasks", { raw })), "201");
});

test("every operation accepts a body of 1 MiB and rejects one more byte", async () => {
  for (const { name, method, path } of operations) {
    const whole = '{"nothing":1}'.padEnd(mebibyte);
    assert.match(
      verdict(await attempt(method, path, { raw: whole })),
      /^40[04] .*(?:\/nothing unknown_key|not_found)/,
      name,
    );
    assert.equal(verdict(await attempt(method, path, { raw: `${whole} ` })), "413 bad_request", name);
    assert.equal(verdict(await attempt(method, path, { raw: "x".repeat(8 * mebibyte) })), "413 bad_request", name);
    tried += 3;
  }
  const long = (length: number) => `{"name":"Long","description":"${"x".repeat(65_536)}"}`.padEnd(length);
  assert.equal(long(mebibyte).length, mebibyte);
  assert.equal((await attempt("POST", "/accounts", { raw: long(mebibyte) })).status, 201);
  assert.equal((await attempt("POST", "/accounts", { raw: long(mebibyte + 1) })).status, 413);
  assert.equal((await attempt("GET", `/pipelines/${sales.id}`)).status, 200);
});

test("every operation rejects a body that isn't a JSON object", (t) => {
  figures(t, "bad-input-bodies", { "bodies to every operation": tried });
});
