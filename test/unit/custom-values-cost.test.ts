import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { mergeCustomFieldValues } from "../../lib/api/rules/custom-field-values.ts";
import type { CustomField } from "../../lib/model/custom-field.ts";
import { normalizeName } from "../../lib/model/normalize.ts";
import { closest } from "../../lib/model/suggest.ts";

const field = {
  ...{ tenantId: "t", id: "f", entity: "account", key: "lines", label: "Lines", type: "multi_list", required: false },
  ...{ description: null, maxLength: null, options: ["Filter", "Espresso ﷺ"], optionLabels: null, position: 0 },
  ...{ createdAt: 0, updatedAt: 0, archivedAt: null },
} as CustomField;

/** Returns how many characters were normalized during `work`. Normalizing dominates the cost of a comparison. */
function foldedBy(work: () => void): number {
  const normalize = mock.method(String.prototype, "normalize");
  work();
  normalize.mock.restore();
  return normalize.mock.calls.reduce((sum, { result }) => sum + (result?.length ?? 0), 0);
}

test("a value much longer than every option is rejected without being normalized", () => {
  const value = "ﷺ".repeat(100_000);
  for (const type of ["list", "multi_list"] as const) {
    const sent = { lines: type === "list" ? value : [value] };
    let found = 0;
    const folded = foldedBy(() => {
      found = mergeCustomFieldValues([{ ...field, type }], sent, {}).issues.length;
    });
    assert.equal(found, 1);
    assert.ok(folded < 1_000, `${folded} signs`);
  }
});

test("a list of 10,000 wrong values reports every one but normalizes only a few", () => {
  const lines = Array.from({ length: 10_000 }, (_, index) => `ﷺ${index}`);
  let found = 0;
  const folded = foldedBy(() => {
    found = mergeCustomFieldValues([field], { lines }, {}).issues.length;
  });
  assert.equal(found, 10_000);
  assert.ok(folded < 20_000, `${folded} signs`);
});

test("an option matches in any case and Unicode form", () => {
  const spelled = ["ESPRESSO ﷺ", "espresso ﷺ".normalize("NFKD"), "ｅｓｐｒｅｓｓｏ ﷺ", "FILTER"];
  const { values, issues } = mergeCustomFieldValues([field], { lines: spelled }, {});
  assert.deepEqual([values, issues], [{ lines: ["Espresso ﷺ", "Filter"] }, []]);
  const marked = { ...field, options: ["ᾂ".repeat(200)] };
  const apart = "ᾂ".repeat(200).normalize("NFD");
  assert.ok(apart.length >= 800);
  assert.deepEqual(mergeCustomFieldValues([marked], { lines: [apart] }, {}).values, { lines: ["ᾂ".repeat(200)] });
});

test("a list field can have 200,000 options", () => {
  const options = Array.from({ length: 200_000 }, (_, index) => `Option ${index}`);
  const { values } = mergeCustomFieldValues([{ ...field, options }], { lines: ["OPTION 199999"] }, {});
  assert.deepEqual(values, { lines: ["Option 199999"] });
});

test("a record gets at most 20 hints over all its custom fields", () => {
  const catalog = ["a", "b", "c"].map((key) => ({ ...field, key }));
  const wrong = Array.from({ length: 40 }, () => "Filtr");
  const { issues } = mergeCustomFieldValues(catalog, { a: wrong, b: wrong, c: wrong }, {});
  const hinted = issues.filter(({ problem }) => problem.message.endsWith('Did you mean "Filter"?'));
  assert.deepEqual([issues.length, hinted.length], [120, 20]);
});

test("closest compares at most 200 candidates", () => {
  const others = Array.from({ length: 199 }, (_, index) => `option ${index}`);
  assert.equal(closest("Espreso", [...others, "Espresso"]), "Espresso");
  assert.equal(closest("Espreso", [...others, "Filter", "Espresso"]), undefined);
  assert.equal(closest("x".repeat(40), ["x".repeat(66)]), "x".repeat(66));
  assert.equal(closest("x".repeat(40), ["x".repeat(67), "y".repeat(5_000)]), undefined);
});

test("closest compares fewer candidates for longer words", () => {
  const [long, meant] = ["x".repeat(40), `${"x".repeat(39)}y`];
  const others = (count: number) => Array.from({ length: count }, () => "z".repeat(40));
  assert.equal(closest(long, [...others(30), meant]), meant);
  assert.equal(closest(long, [...others(40), meant]), undefined);
});

test("a name is normalized the same with and without a sigma", () => {
  for (let point = 0x80; point < 0x30000; point++) {
    const sign = String.fromCodePoint(point);
    if (!sign.isWellFormed() || /\p{M}|[\u1160-\u11ff]/u.test(sign.normalize("NFKD"))) continue;
    assert.equal(normalizeName(`a${sign}.Σ`), `${normalizeName(`a${sign}.`)}σ`, point.toString(16));
  }
});
