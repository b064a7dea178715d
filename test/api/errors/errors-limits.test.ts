import assert from "node:assert/strict";
import { test } from "node:test";
import { openCrm } from "../../support/crm.ts";
import type { Result } from "../../support/harness.ts";
import { errorOf } from "../../support/responses.ts";

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

/** Invalid values of a field, and the expected error paths. */
const wrong: readonly [Record<string, unknown>, readonly string[]][] = [
  [{ families: ["a1", "b2"] }, ["families/0", "families/1"]],
  [{ one: "x", two: "y", three: "z" }, ["one", "two", "three"]],
  [
    { one: "x", two: "y", three: "z", families: Array.from({ length: 12 }, (_, index) => `x${index}`) },
    ["one", "two", "three", ...Array.from({ length: 12 }, (_, index) => `families/${index}`)],
  ],
];

for (const [customFields, places] of wrong) {
  test(`POST /accounts reports all of ${places.length + 2} errors, even if the options are long`, async () => {
    const body = { name: "Acme", customFields: { ...customFields, note: 5, since: "2026-02-30" } };
    const rejected = await crm.call("POST", "/accounts", body);
    assert.deepEqual(
      pathsOf(rejected),
      [...places, "note", "since"].map((place) => `/customFields/${place}`),
    );
    assert.equal(errorOf(rejected).details?.errorCount, undefined);
    assert.ok(Buffer.byteLength(rejected.text) <= 65_536, `${Buffer.byteLength(rejected.text)} bytes`);
  });
}

test("a message has at most 300 characters and keeps its suggestion; allowed has at most 20 values", async () => {
  const meant = "Product famly 10 of this and last year's";
  const values = { one: meant, two: meant, three: meant, families: [meant, meant], note: 5 };
  const rejected = await crm.call("POST", "/accounts", { name: "Acme", customFields: values });
  const errors = errorOf(rejected).details?.errors ?? [];
  assert.equal(errors.length, 6);
  for (const { path, message, allowed } of errors.slice(0, 5)) {
    assert.match(
      message,
      /must be one of: Product family 10 .*\.\.\..* Did you mean "Product family 10 [^"]+"\?$/,
      path,
    );
    assert.equal(message.length, 300);
    assert.deepEqual(allowed, options.slice(0, 20));
  }
  assert.equal(errors[5]?.message, "customFields.note must be a string.");
});

test("details.errors has at most 50 entries; details.errorCount is the total", async () => {
  for (const count of [50, 51]) {
    const customFields = Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, 1]));
    const { details } = errorOf(await crm.call("POST", "/accounts", { name: "Acme", customFields }));
    assert.deepEqual([details?.errors?.length, details?.errorCount], [50, count === 50 ? undefined : 51]);
  }
});
