import assert from "node:assert/strict";
import { test } from "node:test";
import { one, verdict } from "../../support/crm.ts";
import { figures } from "../size.ts";
import { watchedCrm } from "./observed-crm.ts";
import { operationsOf } from "./operations.ts";

const { api, webhook, attempt } = await watchedCrm();
const operations = operationsOf({ api, webhook });
let tried = 0;

/** Keys with a meaning in JavaScript, but not in the API. */
const unknownKeys = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "then",
  "",
  "0",
  "length",
];
const escaped = ["\\u005f\\u005fproto\\u005f\\u005f", "\\u0000", "\\ud800", "a\\/b~", "\\u202eeman"];

for (const { name, method, path } of operations) {
  test(`${name} rejects the unknown member ${unknownKeys.join(", ")}, in any spelling and with any value`, async () => {
    for (const key of [...unknownKeys, ...escaped, "k".repeat(10_000)]) {
      for (const value of ["null", "1", '{"name":"x","admin":true}', `{"${key}":{"${key}":1}}`]) {
        const rejected = await attempt(method, path, { raw: `{"${key}":${value}}` });
        assert.equal(rejected.status, 400, `${key} ${rejected.text}`);
        tried++;
      }
    }
    assert.deepEqual(
      [Reflect.get({}, "name"), Reflect.get({}, "admin"), Object.keys(Object.prototype)],
      [undefined, undefined, []],
    );
  });
}

/** Nested objects: an operation that accepts one, and the error with the path of its unknown member. */
const inner: readonly (readonly [path: string, raw: (key: string) => string, response: string])[] = [
  ["/accounts", (key) => `{"name":"x","address":{"${key}":1}}`, "400 validation_error: /address"],
  ["/accounts", (key) => `{"name":"x","customFields":{"${key}":1}}`, "422 unknown_custom_field: /customFields"],
  [
    "/tasks",
    (key) => `{"title":"x","relatedTo":{"type":"contact","id":"${one.contact}","${key}":1}}`,
    "400 validation_error: /relatedTo",
  ],
];

test("a nested object rejects unknown members too", async () => {
  for (const [path, raw, response] of inner) {
    for (const key of unknownKeys) {
      assert.equal(verdict(await attempt("POST", path, { raw: raw(key) })), `${response}/${key} unknown_key`);
      tried++;
    }
  }
  for (const key of unknownKeys) {
    const raw = `{"name":"x","customFields":{"budget":{"amount":1,"currency":"EUR","${key}":1}}}`;
    const rejected = await attempt("POST", "/opportunities", { raw });
    assert.equal(verdict(rejected), "422 invalid_custom_field: /customFields/budget invalid_type");
  }
});

const types: Readonly<Record<string, boolean>> = {
  "application/json": true,
  "APPLICATION/JSON": true,
  "application/json;charset=utf-8": true,
  'application/json; charset="UTF-8"': true,
  "application/json; charset=utf8": true,
  "application/json ; odata=verbose": true,
  "application/merge-patch+json": true,
  "": false,
  "application/vnd.api+json": false,
  "application/problem+json; profile=x": false,
  "text/plain": false,
  "text/json": false,
  "text/plain; application/json": false,
  "application/json, application/json": false,
  "application/json; charset=utf-16": false,
  "application/json; charset=latin1; charset=utf-8": false,
  "application/json; a=b; CHARSET=us-ascii": false,
  "application/json/x": false,
  "application/jsonx": false,
  "application/x-json": false,
  "application/json-patch": false,
  "application/ json": false,
  "+json": false,
  "*/*": false,
  json: false,
  "application/x-www-form-urlencoded": false,
  "multipart/form-data; boundary=json": false,
  "application/xml": false,
};

for (const { name, method, path, requiresBody } of operations) {
  test(`${name} accepts only JSON content types`, async () => {
    for (const [type, taken] of Object.entries(types)) {
      const { status } = await attempt(method, path, { raw: '{"nothing":1}', headers: { "content-type": type } });
      assert.equal(status, taken ? 400 : 415, type);
      tried++;
    }
    for (const encoding of ["gzip", "br", "deflate", "zstd", "compress", "x"]) {
      const headers = { "content-encoding": encoding };
      assert.equal((await attempt(method, path, { raw: "{}", headers })).status, 415, encoding);
    }
    assert.equal(
      (await attempt(method, path, { headers: { "content-type": "text/plain" } })).status,
      requiresBody ? 400 : method === "DELETE" ? 204 : 200,
    );
  });
}

test("every operation rejects unknown members and content types", (t) =>
  figures(t, "bad-input-keys", { "unknown members and content types": tried }));
