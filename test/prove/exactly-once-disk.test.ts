import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { makeData } from "./once-crm.ts";
import { counted, Ground } from "./once-ground.ts";
import { type Built, builtPrograms } from "./once-program.ts";
import { type Fault, whyUnwatched } from "./once-strace.ts";
import { situations } from "./once-trial.ts";
import { dice, figures, full, seed, size } from "./size.ts";

const roll = dice();
let faults = 0;

/** How a trial goes: whether the program goes on after the fault, fails at its next start, and commits more after that. */
type Course = { readonly goesOn?: boolean; readonly failsAgain?: boolean; readonly addsMore?: boolean };
const courses: readonly Course[] = [{}, { goesOn: true }, { failsAgain: true }];

/** A life with the fault, perhaps one that ends as it begins, and one in which what was not answered is sent again. */
async function livesOf(ground: Ground, fault: Fault, { goesOn, failsAgain, addsMore }: Course): Promise<boolean> {
  await ground.start(fault);
  for (const title of goesOn ? ["Call", "Other", "Call", "More"] : ["Call"]) await ground.post(title);
  const hit = await ground.end();
  if (failsAgain) {
    await ground.start({ call: "sync", effect: "EIO", n: 1 });
    await ground.end();
  }
  await ground.start();
  for (const title of addsMore ? ["Call", "Other"] : ["Call"]) assert.ok(await ground.post(title));
  await ground.end();
  return hit;
}

/** Each sync from the first on, until there is none any more; with every test only one of the first few. */
async function tryFault(t: TestContext, built: Built, made: string, effect: Fault["effect"]): Promise<void> {
  const first = full ? 1 : 1 + Math.floor(roll() * 3);
  for (let n = first; full || n === first; n++) {
    const before = faults;
    for (const course of full ? courses : [courses[Math.floor(roll() * courses.length)] ?? {}]) {
      const addsMore = roll() < 0.5;
      const times = effect === "EIO" && roll() < 0.4 ? 3 : 1;
      const ground = new Ground(t, built, made, roll);
      const fault: Fault = { call: "sync", effect, n, times };
      const hit = await livesOf(ground, fault, { ...course, addsMore }).catch((cause: unknown) => {
        throw new Error(`${JSON.stringify({ made, fault, course, addsMore })} (FC_SEED=${seed})`, { cause });
      });
      ground.remove();
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
  const folder = mkdtempSync(join(tmpdir(), "crm-disk-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const programs = await builtPrograms(folder);
  for (const situation of ["that begins a log", "in the middle of a log", "that makes the log full"] as const) {
    const made = join(folder, situation);
    await makeData(made, situations[situation].frames);
    for (const effect of full || roll() < 0.3 ? (["EIO", "SIGKILL"] as const) : (["EIO"] as const))
      for (const built of full ? programs : [programs[roll() < 0.5 ? 0 : 1]]) await tryFault(t, built, made, effect);
  }
  figures(t, "exactly-once-disk", { "syncs that failed or never came": faults, ...counted });
});
