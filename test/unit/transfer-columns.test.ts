import assert from "node:assert/strict";
import { test } from "node:test";
import { mapColumns, parseMapping } from "../../lib/transfer/column-mapping.ts";
import type { ColumnTarget } from "../../lib/transfer/column-target.ts";

const field = (name: string): ColumnTarget => ({ name, field: name, valueType: "text", nullable: true });
const targets = [field("name"), field("email")];
const options = { mapping: new Map<string, ColumnTarget>(), ignoreColumns: false };
const unknown = (count: number): string[] => Array.from({ length: count }, (_, index) => `Email ${index}`);

test("the import names the first 20 of many unknown columns and counts the others", () => {
  const names = unknown(20).map((name) => `"${name}" (did you mean "email"?)`);
  const list = `${names.join(", ")} and 199980 more`;
  const message = new RegExp(`^Unknown columns ${list.replace(/[()?]/g, "\\$&")}\\. Map each`);
  assert.throws(() => mapColumns(["name", ...unknown(200_000)], targets, options), { message });
});

test("the import names the first 20 of many repeated columns and counts the others", () => {
  const head = ["name", ...unknown(100_000), ...unknown(100_000)];
  assert.throws(
    () => mapColumns(head, targets, { ...options, ignoreColumns: true }),
    ({ message }: Error) => {
      const lines = message.split("\n").map((line) => line.trim());
      assert.deepEqual(
        lines.slice(0, 2),
        [0, 1].map((index) => `The header has the column "Email ${index}" twice.`),
      );
      assert.deepEqual([lines.length, lines.at(-1)], [21, "99980 more columns are repeated."]);
      return true;
    },
  );
});

test("the import cuts the names of unknown columns at 60 characters", () => {
  const message = new RegExp(`^Unknown column "${"x".repeat(60)}"\\. Map each`);
  assert.throws(() => mapColumns(["name", "x".repeat(1_000_000)], targets, options), { message });
});

test("the import suggests a field for a misspelled column, and none for another word", () => {
  const fields = ["name", "email", "address.city", "address.state"].map(field);
  const problem = (column: string): string => {
    try {
      mapColumns(["name", column], fields, options);
    } catch (error) {
      return (error as Error).message.split(". ")[0] ?? "";
    }
    return "";
  };
  assert.equal(problem("Emial"), 'Unknown column "Emial" (did you mean "email"?)');
  assert.equal(problem("citty"), 'Unknown column "citty" (did you mean "address.city"?)');
  for (const word of ["Straße", "Stadt", "Status"]) assert.equal(problem(word), `Unknown column "${word}"`);
});

test("the import suggests a column of the file for a mapped one that it doesn't have", () => {
  const mapping = parseMapping(["name=Compny"], targets);
  const message = 'The file doesn\'t have the column "Compny" of --map (did you mean "Company"?).';
  const head = ["Company", "x".repeat(1_000_000), ...Array.from({ length: 100_000 }, (_, index) => `Other ${index}`)];
  assert.throws(() => mapColumns(head, targets, { mapping, ignoreColumns: true }), { message });
});
