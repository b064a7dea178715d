import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { figures, full, seed, seededRandom, size } from "../size.ts";
import { makeData } from "./data-folder.ts";
import { type Situation, situations, Trial } from "./post-trial.ts";
import { type Built, builtPrograms } from "./program-builds.ts";
import { callsIn, type Fault, whyUnwatched } from "./strace.ts";

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
/** The fsyncs of a POST: the WAL when it restarts, the WAL for the commit, and both files for a checkpoint. */
const syncs: Readonly<Record<Situation, readonly string[]>> = {
  "that begins a log": [log, log],
  "in the middle of a log": [log],
  "that makes the log full": [log, log, database],
  "that restarts the WAL": [log, log],
};
/** In a short run, three faults in each situation at one call each. At full size, all of them at every call. */
const perSituation = full ? faults.length : 3;

const counted = { POSTs: 0, kills: 0, faults: 0, "responses 503": 0, "of them stored after a restart": 0 };
const random = seededRandom();

/** Injects the fault into the POST and checks everything afterwards. Returns whether the call exists. */
async function passesFault(trial: Trial, fault: Fault, kill: boolean): Promise<boolean> {
  const watching = await trial.watch(fault);
  const response = await trial.post();
  if (fault.effect !== "SIGKILL") {
    // While the fault lasts, no response is wrong, and reads work.
    const expected = { status: 503, retryAfter: "1" };
    if (response?.status !== 201)
      assert.deepEqual({ status: response?.status, retryAfter: response?.retryAfter }, expected);
    assert.equal((await trial.crm.tasks("Call")).length, response?.status === 201 ? 1 : 0);
  }
  const lines = await watching.end(response === undefined);
  const hit = lines.some((line) => /INJECTED|killed by SIGKILL/.test(line));
  if (fault.effect === "SIGKILL") assert.equal(response === undefined, hit);
  if (!kill && fault.effect !== "SIGKILL") {
    assert.equal((await trial.crm.post(randomUUID(), "Other"))?.status, 201);
    await trial.assertDone(response);
  }
  await trial.again();
  const { replayed } = await trial.assertDone(response);
  if (!hit) return false;
  counted.POSTs++;
  counted[fault.effect === "SIGKILL" ? "kills" : "faults"]++;
  if (response?.status !== 503) return true;
  counted["responses 503"]++;
  if (kill && replayed) counted["of them stored after a restart"]++;
  return true;
}

/** Returns the writes and fsyncs of the POST without a fault. */
async function traceCalls(
  t: TestContext,
  built: Built,
  made: string,
  situation: Situation,
): Promise<readonly string[]> {
  const trial = await Trial.begin(t, built, made, situation);
  const watching = await trial.watch();
  assert.equal((await trial.post())?.status, 201);
  const lines = await watching.end(false);
  await trial.end();
  return lines;
}

/** Selects each call until there are no more, or in a short run one of about `count`. */
async function tryFault(begin: () => Promise<Trial>, fault: Omit<Fault, "n">, callCount: number): Promise<void> {
  const hits = async (n: number): Promise<boolean> => {
    const trial = await begin();
    const kill = random() < 0.5;
    const hit = await passesFault(trial, { ...fault, n }, kill).catch((cause: unknown) => {
      throw new Error(`${trial.situation}: ${JSON.stringify({ ...fault, n, kill })} (FC_SEED=${seed})`, { cause });
    });
    await trial.end();
    return hit;
  };
  if (!full) {
    for (let n = 1 + Math.floor(random() * callCount); !(await hits(n)); n--) assert.ok(n > 1, "no call had the fault");
    return;
  }
  let n = 1;
  while (await hits(n)) n++;
  // The number of written pages can differ by one, because of the IDs.
  assert.ok(Math.abs(n - 1 - callCount) < 10, `${n - 1} of ${callCount} calls had the fault`);
}

test("a POST happens once if the program dies or fails at any write or sync", {
  timeout: size(300_000, 7_200_000),
}, async (t) => {
  const why = await whyUnwatched(t);
  if (why !== undefined) return t.skip(why);
  const folder = temporaryFolder(t);
  const programs = await builtPrograms(folder);
  let turn = Math.floor(random() * faults.length);
  for (const situation of Object.keys(situations) as Situation[]) {
    const made = join(folder, situation);
    await makeData(made, situations[situation].frames);
    // In a short run one of the two, at full size both.
    for (const built of full ? programs : [programs[random() < 0.5 ? 0 : 1]]) {
      const lines = await traceCalls(t, built, made, situation);
      // Checks that the situation fits its name, and that the trace has all expected calls.
      const synced = lines.flatMap((line) => /fsync\(\d+<.*\/(crm\.db(?:-wal)?)>/.exec(line)?.[1] ?? []);
      assert.deepEqual(synced, syncs[situation]);
      assert.ok(callsIn(lines, "write").length >= 20);
      for (let each = 0; each < perSituation; each++) {
        const fault = faults[turn++ % faults.length] ?? assert.fail();
        const begin = (): Promise<Trial> => Trial.begin(t, built, made, situation);
        const callCount = callsIn(lines, fault.call).length;
        if (callCount > 0) await tryFault(begin, fault, callCount);
      }
    }
  }
  figures(t, "exactly-once-syscalls", counted);
});
