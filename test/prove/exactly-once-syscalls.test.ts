import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { makeData } from "./once-crm.ts";
import { type Built, builtPrograms } from "./once-program.ts";
import { callsIn, type Fault, whyUnwatched } from "./once-strace.ts";
import { type Situation, situations, Trial } from "./once-trial.ts";
import { dice, figures, full, seed, size } from "./size.ts";

const faults: readonly Omit<Fault, "n">[] = [
  { call: "write", effect: "SIGKILL" },
  { call: "sync", effect: "SIGKILL" },
  { call: "write", effect: "EIO" },
  { call: "sync", effect: "EIO" },
  { call: "write", effect: "ENOSPC", times: Number.POSITIVE_INFINITY },
  { call: "sync", effect: "EIO", times: Number.POSITIVE_INFINITY },
  { call: "cut", effect: "EIO" },
];
const [database, log] = ["crm.db", "crm.db-wal"];
/** What a POST syncs: the log for its beginning, the log for the commit, and both where the one is moved to the other. */
const syncs: Readonly<Record<Situation, readonly string[]>> = {
  "that begins a log": [log, log],
  "in the middle of a log": [log],
  "that makes the log full": [log, log, database],
  "that begins the log anew": [log, log],
};
/** With every test three of them in each situation, in turn, at one place; to prove it, all of them at every place. */
const perSituation = full ? faults.length : 3;

const counted = { POSTs: 0, kills: 0, faults: 0, "answered 503": 0, "of them there after a restart": 0 };
const roll = dice();

/** Puts the fault into the POST, and sees that all is well afterwards. Answers whether there was such a call. */
async function holds(trial: Trial, fault: Fault, kill: boolean): Promise<boolean> {
  const watching = await trial.watch(fault);
  const answer = await trial.post();
  if (fault.effect !== "SIGKILL") {
    // As long as the fault lasts: no lie, and reading goes on.
    const refusal = { status: 503, retryAfter: "1" };
    if (answer?.status !== 201) assert.deepEqual({ status: answer?.status, retryAfter: answer?.retryAfter }, refusal);
    assert.equal((await trial.crm.tasks("Call")).length, answer?.status === 201 ? 1 : 0);
  }
  const lines = await watching.end(answer === undefined);
  const hit = lines.some((line) => /INJECTED|killed by SIGKILL/.test(line));
  if (fault.effect === "SIGKILL") assert.equal(answer === undefined, hit);
  if (!kill && fault.effect !== "SIGKILL") {
    assert.equal((await trial.crm.post(randomUUID(), "Other"))?.status, 201);
    await trial.assertDone(answer);
  }
  await trial.again();
  const { replayed } = await trial.assertDone(answer);
  if (!hit) return false;
  counted.POSTs++;
  counted[fault.effect === "SIGKILL" ? "kills" : "faults"]++;
  if (answer?.status !== 503) return true;
  counted["answered 503"]++;
  if (kill && replayed) counted["of them there after a restart"]++;
  return true;
}

/** What the POST writes and syncs where no fault is in the way. */
async function placesOf(t: TestContext, built: Built, made: string, situation: Situation): Promise<readonly string[]> {
  const trial = await Trial.begin(t, built, made, situation);
  const watching = await trial.watch();
  assert.equal((await trial.post())?.status, 201);
  const lines = await watching.end(false);
  await trial.end();
  return lines;
}

/** Each place of a fault, until there is none any more; with every test a single one of about so many. */
async function tryFault(begin: () => Promise<Trial>, fault: Omit<Fault, "n">, places: number): Promise<void> {
  const hits = async (n: number): Promise<boolean> => {
    const trial = await begin();
    const kill = roll() < 0.5;
    const hit = await holds(trial, { ...fault, n }, kill).catch((cause: unknown) => {
      throw new Error(`${trial.situation}: ${JSON.stringify({ ...fault, n, kill })} (FC_SEED=${seed})`, { cause });
    });
    await trial.end();
    return hit;
  };
  if (!full) {
    for (let n = 1 + Math.floor(roll() * places); !(await hits(n)); n--) assert.ok(n > 1, "it happened nowhere");
    return;
  }
  let n = 1;
  while (await hits(n)) n++;
  // A page more or less may be written, as its ids fall.
  assert.ok(Math.abs(n - 1 - places) < 10, `it happened at ${n - 1} of ${places} places`);
}

test("a POST happens once if the program dies or fails at any write or sync", {
  timeout: size(300_000, 7_200_000),
}, async (t) => {
  const why = await whyUnwatched(t);
  if (why !== undefined) return t.skip(why);
  const folder = mkdtempSync(join(tmpdir(), "crm-syscalls-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const programs = await builtPrograms(folder);
  let turn = Math.floor(roll() * faults.length);
  for (const situation of Object.keys(situations) as Situation[]) {
    const made = join(folder, situation);
    await makeData(made, situations[situation].frames);
    // With every test the one or the other; to prove it, both.
    for (const built of full ? programs : [programs[roll() < 0.5 ? 0 : 1]]) {
      const lines = await placesOf(t, built, made, situation);
      // That the situation is what it is called, and that all the calls are seen that there must be.
      const synced = lines.flatMap((line) => /fsync\(\d+<.*\/(crm\.db(?:-wal)?)>/.exec(line)?.[1] ?? []);
      assert.deepEqual(synced, syncs[situation]);
      assert.ok(callsIn(lines, "write").length >= 20);
      for (let each = 0; each < perSituation; each++) {
        const fault = faults[turn++ % faults.length] ?? assert.fail();
        const begin = (): Promise<Trial> => Trial.begin(t, built, made, situation);
        const places = callsIn(lines, fault.call).length;
        if (places > 0) await tryFault(begin, fault, places);
      }
    }
  }
  figures(t, "exactly-once-syscalls", counted);
});
