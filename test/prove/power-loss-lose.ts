import assert from "node:assert/strict";
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { checkAfterLoss, secretsOf } from "./power-loss-check.ts";
import { serve } from "./power-loss-crm.ts";
import { type AfterPowerLoss, Disk } from "./power-loss-disk.ts";
import { historyOf } from "./power-loss-history.ts";
import { type Event, firstSaid, readLog } from "./power-loss-log.ts";
import { contentOf, type Run, recordedContentOf } from "./power-loss-run.ts";
import { type Loss, losses, type Which } from "./power-loss-states.ts";
import { fixturesFor } from "./power-loss-workload.ts";

/** What a power loss broke, in words. */
export type Broken = { readonly reason: string; readonly story: string };

/** Lets the power fail at so many moments of the run and starts on what is left; every choice follows from the seed. */
export function losePower(run: Run, which: Which): Promise<Broken[]> {
  const check = checkOf(run);
  return lose(run.events, which, (left, { place }) => {
    const root = join(run.folder, "after");
    return laid(left, root, () => check(root, place));
  });
}

/** Lets the power fail, starts the program on what is left and stops it, and lets the power fail again in that. */
export function losePowerTwice(t: TestContext, run: Run, which: Which, again: Which): Promise<Broken[]> {
  const check = checkOf(run);
  const fixtures = fixturesFor(run.journal.tenants, run.folder);
  return lose(run.events, which, (left, { place, state }) => {
    const machine = { ...run.machine, root: join(run.folder, "after"), log: join(run.folder, `events-${state}`) };
    return laid(left, machine.root, async () => {
      const before = asEvents(left, machine.root);
      await (await serve(t, machine, fixtures)).end();
      const events = [...before, ...readLog(machine.log)];
      rmSync(machine.log);
      assert.deepEqual(
        recordedContentOf({ events }),
        contentOf({ machine }),
        "the log does not tell all that happened",
      );
      const greeted = firstSaid(events, /^\{"url":/);
      const broken = await lose(events, { ...again, since: before.length }, (left, second) => {
        const root = join(run.folder, "after-again");
        return laid(left, root, () => check(root, place, second.place > greeted));
      });
      if (broken[0] !== undefined) throw new Error(`and a second time\n${broken[0].story}`);
    });
  });
}

type Check = (root: string, place: number, greeted?: boolean) => Promise<void>;

function checkOf({ journal, events, machine }: Run): Check {
  const history = historyOf(journal, events);
  const secrets = secretsOf(machine.root);
  return (root, place, greeted = place > history.greeted) => checkAfterLoss(root, history, { place, greeted }, secrets);
}

/** What threw, for which power losses. */
async function lose(
  events: readonly Event[],
  which: Which,
  check: (left: AfterPowerLoss, loss: Loss) => Promise<void>,
): Promise<Broken[]> {
  const broken: Broken[] = [];
  const disk = new Disk();
  for (const loss of losses(events, which)) {
    while (disk.place < loss.place) disk.play(events[disk.place] as Event);
    const left = disk.after(loss.arrives, loss.rubbish);
    try {
      await check(left, loss);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      broken.push({ reason, story: storyOf(loss, left, events, reason) });
    }
  }
  return broken;
}

/** Puts what is left into a folder for as long as `use` takes. */
async function laid({ folders, files }: AfterPowerLoss, root: string, use: () => Promise<void>): Promise<void> {
  mkdirSync(root);
  try {
    for (const path of folders) mkdirSync(join(root, path), { mode: 0o700 });
    for (const [path, bytes] of files) writeFileSync(join(root, path), bytes, { mode: 0o600 });
    await use();
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** What lies in a folder, as a log would tell of it: all of it durable. */
function asEvents({ folders, files }: AfterPowerLoss, root: string): Event[] {
  const inode = (path: string): number => statSync(join(root, path)).ino;
  const top = { kind: "start", inode: inode("") } as const;
  const made = folders.map((path) => ({ kind: "folder", inode: inode(path), path }) as const);
  const written = [...files].flatMap(([path, bytes]) => [
    { kind: "create", inode: inode(path), path } as const,
    { kind: "write", inode: inode(path), offset: 0, bytes } as const,
  ]);
  const all = [top, ...made, ...written];
  return [...all, ...all.map((event) => ({ kind: "sync", inode: event.inode }) as const)];
}

function storyOf({ state, place, plan }: Loss, left: AfterPowerLoss, events: readonly Event[], reason: string): string {
  const last = events.slice(0, place).findLast((event) => event.kind === "said");
  const said = last?.kind === "said" ? last.text.split("\r\n", 1).join().slice(0, 100) : "nothing";
  return [
    `State ${state}: the power fails after event ${place} of ${events.length}; what was said last: ${said}`,
    `On the disk is ${plan}:`,
    ...left.notes.map((note) => `  ${note}`),
    `So there is: ${[...left.files].map(([path, { length }]) => `${path} (${length} bytes)`).join(", ") || "no file"}`,
    reason,
  ].join("\n");
}
