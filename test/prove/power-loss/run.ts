import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { seed } from "../size.ts";
import { Disk } from "./disk.ts";
import { type Event, readLog } from "./event-log.ts";
import { compileRecorder, copyWithEdits, type Edit, type Machine, project } from "./machine.ts";
import type { BrokenPromise } from "./simulate.ts";
import { type Journal, runWorkload, type Workload } from "./workload.ts";

/** The states are many, so they are in memory if it has 1 GiB free. The model of the disk doesn't need a real one. */
const [memory, neededBytes] = ["/dev/shm", 2 ** 30];
const parentFolder = existsSync(memory) && freeBytes(memory) > neededBytes ? memory : tmpdir();

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** A run of the program: the recorded events and the journal of the clients. */
export type Run = {
  readonly folder: string;
  readonly machine: Machine;
  readonly journal: Journal;
  readonly events: readonly Event[];
};

/** Edits of the source, and a command that starts the program. */
export type RunOptions = { readonly edits?: readonly Edit[]; readonly launcher?: readonly string[] };

/** Records a run of the program, in a folder that is removed after the test. */
export async function recordRun(
  t: TestContext,
  workload: Workload,
  { edits = [], launcher = [] }: RunOptions = {},
): Promise<Run> {
  const folder = temporaryFolder(t);
  const root = join(folder, "root");
  mkdirSync(root);
  const source = edits.length === 0 ? project : copyWithEdits(join(folder, "source"), edits);
  const machine = { root, log: join(folder, "events"), library: compileRecorder(folder), source, launcher };
  const journal = await runWorkload(t, machine, folder, workload);
  return { folder, machine, journal, events: readLog(machine.log) };
}

/** Loads a run that `assertNoneBroken` saved. */
export function loadRun(t: TestContext, folder: string): Run {
  const temporary = temporaryFolder(t);
  const library = compileRecorder(temporary);
  const machine = { root: join(folder, "root"), log: join(folder, "events"), library, source: project };
  const journal = JSON.parse(readFileSync(join(folder, "journal.json"), "utf8")) as Journal;
  return { folder: temporary, machine, journal, events: readLog(machine.log) };
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(parentFolder, "crm-power-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Every path with the size and hash of its content. Files for shared memory are left out. */
type Content = readonly (readonly [path: string, content: string])[];

/** Returns the content of the machine's folder. */
export function contentOf({ machine: { root } }: Pick<Run, "machine">): Content {
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" });
  return inOrder(
    paths.map((path) => [
      path,
      statSync(join(root, path)).isDirectory() ? "folder" : describeBytes(readFileSync(join(root, path))),
    ]),
  );
}

/** Returns the content of the folder according to the event log. */
export function recordedContentOf({ events }: Pick<Run, "events">): Content {
  const disk = new Disk();
  for (const event of events) disk.play(event);
  const { folders, files } = disk.after(
    () => true,
    () => 0,
  );
  const contents = [...files].map(([path, bytes]) => [path, describeBytes(bytes)] as const);
  return inOrder([...folders.map((path) => [path, "folder"] as const), ...contents]);
}

function describeBytes(bytes: Buffer): string {
  return `${bytes.length} bytes, ${createHash("sha256").update(bytes).digest("hex")}`;
}

function inOrder(content: Content): Content {
  const durable = content.filter(([path]) => !path.endsWith("-shm"));
  return durable.sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Asserts that no promise was broken. If one was, saves the run, and says in the message how to repeat it. */
export function assertNoneBroken({ machine, journal }: Run, broken: readonly BrokenPromise[]): void {
  if (broken.length === 0) return;
  const saved = mkdtempSync(join(tmpdir(), "crm-power-saved-"));
  cpSync(machine.log, join(saved, "events"));
  cpSync(machine.root, join(saved, "root"), { recursive: true });
  writeFileSync(join(saved, "journal.json"), JSON.stringify(journal));
  const repeat = `repeat with FC_SEED=${seed} POWER_LOSS_RUN=${saved}`;
  assert.fail(`${broken.length} power losses broke a promise (${repeat}). The first:\n${broken[0]?.description}`);
}
