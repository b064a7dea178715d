import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { counts, importCrm } from "../support/import-crm.ts";
import { type Started, start } from "../support/program.ts";

/** Contacts without an email address. Only the import itself prevents duplicates of a row. */
const rows = 6_000;
const isBad = (row: number): boolean => row % 1_000 === 7;
const csv = `name,externalId\n${Array.from({ length: rows }, (_, row) => `${isBad(row) ? "" : `P${row}`},X${row}\n`).join("")}`;
const good = Array.from({ length: rows }, (_, row) => row).filter((row) => !isBad(row));

/** Starts an import. Returns after the progress file has at least this row. */
async function startedUntil(t: TestContext, args: readonly string[], progress: string, row: number): Promise<Started> {
  const started = start(t, "import", ...args);
  let hasEnded = false;
  void started.ended.then(() => {
    hasEnded = true;
  });
  const reached = (): number => {
    try {
      return JSON.parse(readFileSync(progress, "utf8")).rows;
    } catch {
      return -1;
    }
  };
  while (reached() < row && !hasEnded) await pause(1);
  return started;
}

/** Writes the file of people into a data folder, and starts its import. Returns after the first rows. */
async function openStarted(t: TestContext) {
  const crm = await importCrm();
  const file = crm.write("people.csv", csv);
  const progress = crm.path("people.csv.progress.json");
  const begin = (...more: readonly string[]) =>
    startedUntil(t, [file, "--entity", "contact", ...more, ...crm.storageArgs], progress, 1);
  return { crm, file, progress, begin, started: await begin() };
}

async function assertOnce(crm: Awaited<ReturnType<typeof importCrm>>): Promise<void> {
  const there = (await crm.records("contact")).map(({ externalId }) => String(externalId));
  assert.deepEqual(there.toSorted(), good.map((row) => `X${row}`).toSorted(), "one record for each good row");
}

test("an import that is killed repeatedly creates one record per row and rejects each invalid row once", {
  timeout: 300_000,
}, async (t) => {
  const crm = await importCrm();
  const file = crm.write("people.csv", csv);
  const progress = crm.path("people.csv.progress.json");
  const args = [file, "--entity", "contact", ...crm.storageArgs];
  const codes: (NodeJS.Signals | null)[] = [];
  for (const row of [0, 1, 1_500]) {
    const started = await startedUntil(t, args, progress, row);
    started.child.kill("SIGKILL");
    codes.push((await started.ended).signal);
  }
  assert.ok(codes.includes("SIGKILL"), "it was never killed in the middle");
  const last = await crm.import(file, "contact");
  assert.deepEqual(counts(last), [good.length, 0, 0, rows - good.length], last.program.stderr);
  await assertOnce(crm);
  const rejected = crm.read("people.csv.rejected.csv").trim().split("\n");
  assert.deepEqual(
    rejected.slice(1).map((line) => line.split(",").slice(0, 3)),
    Array.from({ length: rows }, (_, row) => row)
      .filter(isBad)
      .map((row) => ["", `X${row}`, String(row + 2)]),
  );
});

test("an import whose progress file is lost creates no record twice; --restart creates them again", {
  timeout: 300_000,
}, async (t) => {
  const { crm, file, progress, started } = await openStarted(t);
  started.child.kill("SIGKILL");
  await started.ended;
  rmSync(progress, { force: true });
  const second = await crm.import(file, "contact");
  assert.equal(second.created + second.unchanged, good.length, second.program.stderr);
  assert.ok(second.unchanged > 0, "the killed run had made some");
  await assertOnce(crm);
  const third = await crm.import(file, "contact", "--restart");
  assert.deepEqual(counts(third), [good.length, 0, 0, rows - good.length]);
  assert.equal((await crm.records("contact")).length, 2 * good.length);
});

test("Ctrl-C ends an import after the current rows; the same command continues it, and another one is rejected", {
  timeout: 300_000,
}, async (t) => {
  const { crm, file, progress, begin, started } = await openStarted(t);
  started.child.kill("SIGINT");
  const { code, stderr, stdout } = await started.ended;
  assert.equal(code, 1, stderr);
  const [, row = ""] = /Stopped after row (\d+)\. Run the same command again to resume\.\n$/.exec(stderr) ?? [];
  assert.equal(JSON.parse(readFileSync(progress, "utf8")).rows, Number(row), stderr);
  assert.match(stdout, /^created \d+, updated 0, unchanged 0, rejected \d+ in [\d.]+ s\n$/);

  const other = await crm.run("import", [file, "--entity", "contact", "--upsert-by", "externalId"]);
  assert.deepEqual([other.code, other.stdout], [1, ""]);
  assert.match(other.stderr, /interrupted at row \d+ had other options \(upsertBy\)/);
  const last = await crm.import(file, "contact");
  assert.match(last.program.stderr, new RegExp(`^Resuming after row ${row}\\.`, "m"));
  assert.deepEqual(counts(last), [good.length, 0, 0, rows - good.length]);
  await assertOnce(crm);

  const changed = await begin("--restart");
  changed.child.kill("SIGKILL");
  await changed.ended;
  crm.write("people.csv", `${csv}One more,X\n`);
  const rejectedRun = await crm.run("import", [file, "--entity", "contact"]);
  assert.equal(rejectedRun.code, 1);
  assert.match(rejectedRun.stderr, /people\.csv changed after its import was interrupted/);
});
