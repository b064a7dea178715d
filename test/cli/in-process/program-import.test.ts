import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { counts, importCrm } from "../../support/import-crm.ts";

const crm = await importCrm();
const rows = 3_000;
/** Every hundredth row has an empty name and an invalid email address. */
const isBad = (row: number): boolean => row % 100 === 0;
const lines = Array.from({ length: rows }, (_, index) => {
  const row = index + 1;
  return `${isBad(row) ? "" : `Company ${row}`},${isBad(row) ? "none" : `office${row}@x.example`},E${row},Oslo\n`;
});
const accounts = crm.write("accounts.csv", `Company,E-mail,External Id,City\n${lines.join("")}`);
const mapped = ["--map", "name=Company", "--upsert-by", "externalId"];

test("an import of 3,000 rows rejects the 30 invalid ones with all errors, accepts them once corrected, and a second run writes nothing", async () => {
  const first = await crm.import(accounts, "account", ...mapped);
  assert.deepEqual([counts(first), first.program.code], [[2_970, 0, 0, 30], 1], first.program.stderr);
  const rejected = crm.read("accounts.csv.rejected.csv");
  const [head, ...bad] = parse(rejected) as string[][];
  assert.deepEqual(head, ["Company", "E-mail", "External Id", "City", "_line", "_errors", "_text"]);
  const reasons = 'name is required (column "Company"). email must be an email address, such as ana@example.com.';
  assert.deepEqual(
    bad,
    Array.from({ length: 30 }, (_, index) => {
      const row = (index + 1) * 100;
      return ["", "none", `E${row}`, "Oslo", String(row + 1), reasons, ""];
    }),
  );
  assert.equal(crm.has("accounts.csv.progress.json"), false, "the progress file still exists");

  const corrected = rejected.replaceAll(/^,none,E(\d+)/gm, "Company $1,office$1@x.example,E$1");
  const second = await crm.import(crm.write("corrected.csv", corrected), "account", ...mapped);
  assert.deepEqual([counts(second), second.program.code, second.rejectedFile], [[30, 0, 0, 0], 0, null]);
  const there = await crm.records("account");
  const expected = lines.map((_, index) => {
    const row = index + 1;
    return [`Company ${row}`, `office${row}@x.example`, `E${row}`, "Oslo"];
  });
  const shown = there.map(({ name, email, externalId, address }) => {
    return [name, email, externalId, (address as { city: string }).city];
  });
  assert.deepEqual(shown.toSorted(byNumber), expected);

  const whole = crm.write(
    "whole.csv",
    `Company,E-mail,External Id,City\n${expected.map((row) => `${row}\n`).join("")}`,
  );
  const again = await crm.import(whole, "account", ...mapped);
  assert.deepEqual([counts(again), again.program.code], [[0, 0, rows, 0], 0]);
  assert.deepEqual(await crm.records("account"), there, "not one updatedAt has moved");
});

function byNumber(a: readonly unknown[], b: readonly unknown[]): number {
  return Number(String(a[2]).slice(1)) - Number(String(b[2]).slice(1));
}
