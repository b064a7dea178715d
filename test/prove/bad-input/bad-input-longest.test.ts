import assert from "node:assert/strict";
import { test } from "node:test";
import { verdict } from "../../support/crm.ts";
import type { Sent } from "../../support/harness.ts";
import { inner } from "../schema-samples.ts";
import { figures, full } from "../size.ts";
import { watchedCrm } from "./observed-crm.ts";
import { operationsOf } from "./operations.ts";

/** Requests with many errors and long texts. `attempt` checks the length of each response. */

/** Characters of one to four bytes, and characters that JSON or a JSON Pointer escapes. */
const letters = ["x", "é", "漢", "😀", '"', "\\", "\u0001", "\u202e", "/", "~"];
const lengths = full ? [1, 57, 58, 59, 60, 61, 99, 100, 101, 5_000] : [60, 100];

/** Options, stages and names of the maximum length, of every letter. */
const long = (letter: string, index: number): string => letter.repeat(250 / letter.length) + index;
const options = letters
  .filter((letter) => letter !== "\u0001")
  .flatMap((letter) => [0, 1].map((at) => long(letter, at)));
const [list, lists] = [`l${"k".repeat(63)}`, `m${"k".repeat(63)}`];
const fields = ["account", "contact", "opportunity"].flatMap((entity) => [
  { entity, key: list, label: long("é", 1), type: "list", options },
  { entity, key: lists, label: long('"', 2), type: "multi_list", options, required: true },
  ...Array.from({ length: 40 }, (_, index) => {
    return { entity, key: `n${"k".repeat(60)}${index}`, label: long("漢", index), type: "text", required: true };
  }),
]);

const { api, webhook, attempt } = await watchedCrm({ "/customFields": fields });
const operations = operationsOf({ api, webhook });
const reads = api.endpoints.filter(({ access, method }) => access !== "admin" && method === "GET");
const counted = { requests: 0, "bytes at most": 0 };

async function assertShort(method: string, path: string, sent: Sent): Promise<void> {
  const result = await attempt(method, path, sent);
  assert.ok(result.status >= 400, `${method} ${path}: ${result.text}`);
  assert.match(verdict(result), /^4\d\d [a-z_]+/);
  counted.requests++;
  counted["bytes at most"] = Math.max(counted["bytes at most"], Buffer.byteLength(result.text));
}

for (const { name, method, path } of operations) {
  const { body } = api.endpoints.find((endpoint) => endpoint.name === name) ?? {};
  const known = Object.keys((body && inner(body).entries) ?? {});

  test(`${name} returns a short error for many problems at once`, async () => {
    for (const letter of letters) {
      for (const length of lengths) {
        const text = letter.repeat(length);
        const unknownMembers = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`${text}${index}`, text]));
        const every = (value: unknown) => Object.fromEntries(known.map((key) => [key, value]));
        const customFields = { ...unknownMembers, [list]: text, [lists]: [text, 1, ...Object.keys(unknownMembers)] };
        await assertShort(method, path, { body: unknownMembers });
        await assertShort(method, path, { body: { ...every(unknownMembers), ...unknownMembers } });
        await assertShort(method, path, {
          body: {
            ...every(text),
            ...(known.includes("customFields") ? { customFields } : {}),
            tenantId: undefined,
            x: 1,
          },
        });
        await assertShort(method, path, { body: { ...every([text, unknownMembers]), tenantId: text } });
        if (known.includes("customFields")) {
          const name = method === "POST" ? { name: "Long" } : {};
          for (const each of [customFields, unknownMembers, { [list]: text }, { [lists]: [text] }])
            await assertShort(method, path, { body: { ...name, customFields: each } });
        }
      }
    }
  });
}

test("the error for any invalid query or header is short", async () => {
  for (const { path, query } of reads) {
    for (const text of letters.flatMap((letter) => lengths.map((length) => letter.repeat(Math.min(length, 1_000))))) {
      const at = path.replace(":id", encodeURIComponent(text));
      const unknownMembers = Array.from({ length: 20 }, (_, index): [string, string] => [`${text}${index}`, text]);
      const known = Object.keys(query).map((key): [string, string] => [key, text]);
      const all = new URLSearchParams([...known, ...unknownMembers, ...known, ...unknownMembers]).toString();
      await assertShort("GET", `${at}?${all}`, {});
      await assertShort("GET", `${at}?${"%ff=%ff&".repeat(50)}${all}`, {});
      await assertShort("GET", `${at}?tenantId=${encodeURIComponent(text)}`, {});
    }
  }
  for (const value of lengths.flatMap((length) => ["x", "\\", '"'].map((letter) => letter.repeat(length)))) {
    for (const header of ["x-tenant-id", "idempotency-key", "content-type", "content-encoding", "x-api-key"])
      await assertShort("POST", "/tasks", { raw: '{"title":1}', headers: { [header]: value } });
  }
});

test("no error is longer than 64 KiB", (t) => figures(t, "bad-input-longest", counted));
