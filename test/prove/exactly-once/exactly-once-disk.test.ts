import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { figures, full, seed, seededRandom, size } from "../size.ts";
import { makeData } from "./data-folder.ts";
import { situations } from "./post-trial.ts";
import { type Built, builtPrograms } from "./program-builds.ts";
import { type Fault, whyUnwatched } from "./strace.ts";
import { counted, UnreliableFolder } from "./unreliable-folder.ts";

const random = seededRandom();
let faults = 0;

/**
 * The course of a trial: whether the program continues after the fault, fails at its next start, and commits more after
 * it.
 */
type TrialOptions = { readonly continues?: boolean; readonly failsAgain?: boolean; readonly addsMore?: boolean };
const trialOptions: readonly TrialOptions[] = [{}, { continues: true }, { failsAgain: true }];

/** Runs the program with the fault, sometimes fails its next start, and then retries what got no response. */
async function runTrial(
  folder: UnreliableFolder,
  fault: Fault,
  { continues, failsAgain, addsMore }: TrialOptions,
): Promise<boolean> {
  await folder.start(fault);
  for (const title of continues ? ["Call", "Other", "Call", "More"] : ["Call"]) await folder.post(title);
  const hit = await folder.end();
  if (failsAgain) {
    await folder.start({ call: "sync", effect: "EIO", n: 1 });
    await folder.end();
  }
  await folder.start();
  for (const title of addsMore ? ["Call", "Other"] : ["Call"]) assert.ok(await folder.post(title));
  await folder.end();
  return hit;
}

/** Fails each fsync in turn, or in a short run one of the first three. */
async function tryFault(t: TestContext, built: Built, made: string, effect: Fault["effect"]): Promise<void> {
  const first = full ? 1 : 1 + Math.floor(random() * 3);
  for (let n = first; full || n === first; n++) {
    const before = faults;
    for (const options of full ? trialOptions : [trialOptions[Math.floor(random() * trialOptions.length)] ?? {}]) {
      const addsMore = random() < 0.5;
      const times = effect === "EIO" && random() < 0.4 ? 3 : 1;
      const folder = new UnreliableFolder(t, built, made, random);
      const fault: Fault = { call: "sync", effect, n, times };
      const hit = await runTrial(folder, fault, { ...options, addsMore }).catch((cause: unknown) => {
        throw new Error(`${JSON.stringify({ made, fault, course: options, addsMore })} (FC_SEED=${seed})`, { cause });
      });
      folder.remove();
      if (hit) faults++;
    }
    if (faults === before) return assert.ok(!full || n > 1, `${made}: ${effect} never happened`);
  }
}

test("every confirmed write survives a power loss, even if an fsync failed or never happened", {
  timeout: size(300_000, 7_200_000),
}, async (t) => {
  const why = await whyUnwatched(t);
  if (why !== undefined) return t.skip(why);
  const folder = temporaryFolder(t);
  const programs = await builtPrograms(folder);
  for (const situation of ["that begins a log", "in the middle of a log", "that makes the log full"] as const) {
    const made = join(folder, situation);
    await makeData(made, situations[situation].frames);
    for (const effect of full || random() < 0.3 ? (["EIO", "SIGKILL"] as const) : (["EIO"] as const))
      for (const built of full ? programs : [programs[random() < 0.5 ? 0 : 1]]) await tryFault(t, built, made, effect);
  }
  figures(t, "exactly-once-disk", { "syncs that failed or never came": faults, ...counted });
});
