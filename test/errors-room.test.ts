import assert from "node:assert/strict";
import { test } from "node:test";
import { errorOf } from "./answers.ts";
import { openCrm } from "./crm.ts";
import type { Result } from "./harness.ts";

const options = Array.from({ length: 60 }, (_, index) => `Product family ${index + 10} of this and last year's`);
const field = { entity: "account", label: "F", options };
const crm = await openCrm({
  "/customFields": [
    ...["one", "two", "three"].map((key) => ({ ...field, key, type: "list" })),
    { ...field, key: "families", type: "multi_list" },
    { entity: "account", label: "N", key: "note", type: "text" },
    { entity: "account", label: "S", key: "since", type: "date" },
  ],
});
test.after(() => crm.api.close());

const pathsOf = (result: Result): string[] => (errorOf(result).details?.errors ?? []).map(({ path }) => path);

/** What of a field's value is wrong, and the places that are told. */
const wrong: readonly [Record<string, unknown>, readonly string[]][] = [
  [{ families: ["a1", "b2"] }, ["families/0", "families/1"]],
  [{ one: "x", two: "y", three: "z" }, ["one", "two", "three"]],
  [
    { one: "x", two: "y", three: "z", families: Array.from({ length: 12 }, (_, index) => `x${index}`) },
    ["one", "two", "three", ...Array.from({ length: 12 }, (_, index) => `families/${index}`)],
  ],
];

for (const [customFields, places] of wrong) {
  test(`all is told of ${places.length + 2} problems, however long the options of their fields are`, async () => {
    const body = { name: "Acme", customFields: { ...customFields, note: 5, since: "2026-02-30" } };
    const refused = await crm.call("POST", "/accounts", body);
    assert.deepEqual(
      pathsOf(refused),
      [...places, "note", "since"].map((place) => `/customFields/${place}`),
    );
    assert.equal(errorOf(refused).details?.errorCount, undefined);
    assert.ok(Buffer.byteLength(refused.text) <= 4096, `${Buffer.byteLength(refused.text)} bytes`);
  });
}

test("where room is short, what was meant stays in the message, and so do the short ones as they are", async () => {
  const meant = "Product famly 10 of this and last year's";
  const values = { one: meant, two: meant, three: meant, families: [meant, meant], note: 5 };
  const refused = await crm.call("POST", "/accounts", { name: "Acme", customFields: values });
  const told = errorOf(refused).details?.errors ?? [];
  assert.equal(told.length, 6);
  for (const { path, message } of told.slice(0, 5)) {
    assert.match(message, /must be one of: Product family 10 .*\.\.\. Did you mean "Product family 10 [^"]+"\?$/, path);
  }
  assert.equal(told[5]?.message, "customFields.note must be a string.");
});
