import assert from "node:assert/strict";
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { checkAfterLoss, secretsOf } from "./check.ts";
import { Disk, type DiskContent } from "./disk.ts";
import { type Event, firstOutput, readLog } from "./event-log.ts";
import { buildHistory } from "./history.ts";
import { type Loss, type LossSelection, losses } from "./losses.ts";
import { serve } from "./machine.ts";
import { contentOf, type Run, recordedContentOf } from "./run.ts";
import { writeTenantFiles } from "./workload.ts";

/** A promise that a power loss broke: the message of the check, and the description of the state. */
export type BrokenPromise = { readonly reason: string; readonly description: string };

/** Simulates power losses in a run and checks the state after each. Every choice depends on the seed only. */
export function losePower(run: Run, selection: LossSelection): Promise<BrokenPromise[]> {
  const check = createCheck(run);
  return simulateLosses(run.events, selection, (content, { position }) => {
    const root = join(run.folder, "after");
    return withContent(content, root, () => check(root, position));
  });
}

/** Simulates a power loss, starts and stops the program after it, and simulates a second power loss in this time. */
export function losePowerTwice(
  t: TestContext,
  run: Run,
  selection: LossSelection,
  again: LossSelection,
): Promise<BrokenPromise[]> {
  const check = createCheck(run);
  const fixtures = writeTenantFiles(run.journal.tenants, run.folder);
  return simulateLosses(run.events, selection, (content, { position, state }) => {
    const machine = { ...run.machine, root: join(run.folder, "after"), log: join(run.folder, `events-${state}`) };
    return withContent(content, machine.root, async () => {
      const before = toEvents(content, machine.root);
      await (await serve(t, machine, fixtures)).end();
      const events = [...before, ...readLog(machine.log)];
      rmSync(machine.log);
      assert.deepEqual(recordedContentOf({ events }), contentOf({ machine }), "the event log is incomplete");
      const servingSince = firstOutput(events, /^\{"url":/);
      const broken = await simulateLosses(events, { ...again, since: before.length }, (content, second) => {
        const root = join(run.folder, "after-again");
        return withContent(content, root, () => check(root, position, second.position > servingSince));
      });
      if (broken[0] !== undefined) throw new Error(`after a second power loss:\n${broken[0].description}`);
    });
  });
}

type Check = (root: string, position: number, serving?: boolean) => Promise<void>;

function createCheck({ journal, events, machine }: Run): Check {
  const history = buildHistory(journal, events);
  const secrets = secretsOf(machine.root);
  return (root, position, serving = position > history.servingSince) =>
    checkAfterLoss(root, history, { position, serving }, secrets);
}

/** Runs the check after each power loss and returns the failures. */
async function simulateLosses(
  events: readonly Event[],
  selection: LossSelection,
  check: (content: DiskContent, loss: Loss) => Promise<void>,
): Promise<BrokenPromise[]> {
  const broken: BrokenPromise[] = [];
  const disk = new Disk();
  for (const loss of losses(events, selection)) {
    while (disk.position < loss.position) disk.play(events[disk.position] as Event);
    const content = disk.after(loss.persists, loss.garbage);
    try {
      await check(content, loss);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      broken.push({ reason, description: describeState(loss, content, events, reason) });
    }
  }
  return broken;
}

/** Writes the content of a disk into a folder, which is removed after `use`. */
async function withContent({ folders, files }: DiskContent, root: string, use: () => Promise<void>): Promise<void> {
  mkdirSync(root);
  try {
    for (const path of folders) mkdirSync(join(root, path), { mode: 0o700 });
    for (const [path, bytes] of files) writeFileSync(join(root, path), bytes, { mode: 0o600 });
    await use();
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** Returns events that create the content of a folder and sync all of it. */
function toEvents({ folders, files }: DiskContent, root: string): Event[] {
  const inode = (path: string): number => statSync(join(root, path)).ino;
  const start = { kind: "start", inode: inode("") } as const;
  const folderEvents = folders.map((path) => ({ kind: "folder", inode: inode(path), path }) as const);
  const fileEvents = [...files].flatMap(([path, bytes]) => [
    { kind: "create", inode: inode(path), path } as const,
    { kind: "write", inode: inode(path), offset: 0, bytes } as const,
  ]);
  const all = [start, ...folderEvents, ...fileEvents];
  return [...all, ...all.map((event) => ({ kind: "sync", inode: event.inode }) as const)];
}

function describeState(
  { state, position, plan }: Loss,
  content: DiskContent,
  events: readonly Event[],
  reason: string,
): string {
  const last = events.slice(0, position).findLast((event) => event.kind === "output");
  const output = last?.kind === "output" ? last.text.split("\r\n", 1).join().slice(0, 100) : "nothing";
  return [
    `State ${state}: the power fails after event ${position} of ${events.length}; last output: ${output}`,
    `On disk: ${plan}`,
    ...content.notes.map((note) => `  ${note}`),
    `Files: ${[...content.files].map(([path, { length }]) => `${path} (${length} bytes)`).join(", ") || "none"}`,
    reason,
  ].join("\n");
}
