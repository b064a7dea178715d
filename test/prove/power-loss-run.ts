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
import { compileRecorder, type Edit, faultyProduct, type Machine, project } from "./power-loss-crm.ts";
import { Disk } from "./power-loss-disk.ts";
import { type Event, readLog } from "./power-loss-log.ts";
import type { Broken } from "./power-loss-lose.ts";
import { type Course, type Journal, workOn } from "./power-loss-workload.ts";
import { seed } from "./size.ts";

/** In memory where there is room: states are many, and what their disk promises is ours to invent. */
const [memory, roomBytes] = ["/dev/shm", 2 ** 30];
const fast = existsSync(memory) && roomIn(memory) > roomBytes ? memory : tmpdir();

function roomIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** What programs did, as the recorder and as their clients saw it. */
export type Run = {
  readonly folder: string;
  readonly machine: Machine;
  readonly journal: Journal;
  readonly events: readonly Event[];
};

/** How the program is run where it is not run as it is. */
export type Manner = { readonly edits?: readonly Edit[]; readonly launcher?: readonly string[] };

/** Records what the program does, in a folder that goes when the test is over. */
export async function record(t: TestContext, course: Course, { edits = [], launcher = [] }: Manner = {}): Promise<Run> {
  const folder = temporaryFolder(t);
  const root = join(folder, "root");
  mkdirSync(root);
  const product = edits.length === 0 ? project : faultyProduct(join(folder, "product"), edits);
  const machine = { root, log: join(folder, "events"), library: compileRecorder(folder), product, launcher };
  const journal = await workOn(t, machine, folder, course);
  return { folder, machine, journal, events: readLog(machine.log) };
}

/** A run that `keep` kept. */
export function kept(t: TestContext, folder: string): Run {
  const temporary = temporaryFolder(t);
  const library = compileRecorder(temporary);
  const machine = { root: join(folder, "root"), log: join(folder, "events"), library, product: project };
  const journal = JSON.parse(readFileSync(join(folder, "journal.json"), "utf8")) as Journal;
  return { folder: temporary, machine, journal, events: readLog(machine.log) };
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(fast, "crm-power-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Every path and what it holds, shortened; what programs share by mmap is no matter of the disk. */
type Content = readonly (readonly [path: string, held: string])[];

/** What is on the machine in the end. */
export function contentOf({ machine: { root } }: Pick<Run, "machine">): Content {
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" });
  return inOrder(
    paths.map((path) => [
      path,
      statSync(join(root, path)).isDirectory() ? "folder" : held(readFileSync(join(root, path))),
    ]),
  );
}

/** What the log says is there in the end. */
export function recordedContentOf({ events }: Pick<Run, "events">): Content {
  const disk = new Disk();
  for (const event of events) disk.play(event);
  const { folders, files } = disk.after(
    () => true,
    () => 0,
  );
  const kept = [...files].map(([path, bytes]) => [path, held(bytes)] as const);
  return inOrder([...folders.map((path) => [path, "folder"] as const), ...kept]);
}

function held(bytes: Buffer): string {
  return `${bytes.length} bytes, ${createHash("sha256").update(bytes).digest("hex")}`;
}

function inOrder(content: Content): Content {
  const durable = content.filter(([path]) => !path.endsWith("-shm"));
  return durable.sort(([one], [other]) => (one < other ? -1 : 1));
}

/** That nothing was broken; where something was, the run is kept, and the message says how to look at it again. */
export function assertNoneBroken({ machine, journal }: Run, broken: readonly Broken[]): void {
  if (broken.length === 0) return;
  const kept = mkdtempSync(join(tmpdir(), "crm-power-kept-"));
  cpSync(machine.log, join(kept, "events"));
  cpSync(machine.root, join(kept, "root"), { recursive: true });
  writeFileSync(join(kept, "journal.json"), JSON.stringify(journal));
  const again = `FC_SEED=${seed} POWER_LOSS_KEPT=${kept} gives the same states again`;
  assert.fail(`${broken.length} power losses broke a promise (${again}). The first:\n${broken[0]?.story}`);
}
