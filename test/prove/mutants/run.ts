import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { publish, publishFaults } from "../figures.ts";
import { findListErrors, findMisfits } from "./check-mutants.ts";
import type { Mutant } from "./mutant.ts";
import { mutants } from "./mutants.ts";
import { MutantResults } from "./results.ts";

/**
 * `npm run prove:mutants [-- NAME …]` puts one fault into a copy of the project and runs the tests that must fail, with
 * one copy per processor. It exits with an error if none of them fails, or if the text that a fault replaces no longer
 * exists. The next run continues an interrupted one, unless code or tests have changed. Faults given by name always run.
 */

const parts = "lib bin test fixtures docs examples schema.sql package.json tsconfig.json README.md CHANGELOG.md";
const maxMinutes = 10;

const named = process.argv.slice(2);
const chosen = mutants.filter(({ name }) => named.length === 0 || named.includes(name));
if (chosen.length === 0) {
  process.stderr.write(`Unknown fault. Known faults:\n${mutants.map(({ name }) => name).join("\n")}\n`);
  process.exit(2);
}
const errors = [...(named.length === 0 ? findListErrors(mutants) : []), ...findMisfits(chosen)];
if (errors.length > 0) {
  process.stderr.write(`${errors.join("\n")}\n`);
  process.exit(1);
}

// A signal doesn't cause the event "exit", which ends the tests and removes the copies.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
const results = MutantResults.of(["lib", "bin", "test", "schema.sql"]);
const queue = chosen.values();
await Promise.all(Array.from({ length: availableParallelism() }, () => runQueued(copyProject())));
const found = chosen.map(({ name, file }) => ({ name, file, seen: results.seen(name) }));
const seen = found.filter((each) => each.seen !== undefined).length;
process.stdout.write(`${seen} of ${chosen.length} faults were seen\n`);
if (seen === mutants.length) {
  const text = `${chosen.length} faults, ${seen} seen`;
  publish([{ harness: "mutants", test: "each of these faults in the source is seen by a test", text, seed: 1 }]);
  publishFaults(found.map(({ name, file, seen = "" }) => ({ name, file, seen })));
}
process.exit(seen === chosen.length ? 0 : 1);

/** Returns the folder of a copy of the project. Its folder `tmp` is the temporary folder of the tests. */
function copyProject(): string {
  const folder = mkdtempSync(join(tmpdir(), "crm-mutants-"));
  mkdirSync(join(folder, "tmp"));
  // PostgreSQL runs as another user.
  for (const each of [folder, join(folder, "tmp")]) chmodSync(each, 0o755);
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const name of parts.split(" ")) if (existsSync(name)) cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  return folder;
}

/** Runs faults until the queue is empty. */
async function runQueued(folder: string): Promise<void> {
  for (const mutant of queue) {
    const earlier = named.length === 0 ? results.seen(mutant.name) : undefined;
    const seen = earlier ?? (await seenBy(mutant, folder));
    if (earlier === undefined && seen !== undefined) results.add({ fault: mutant.name, seen });
    const [word, by] = seen === undefined ? ["NOT SEEN", mutant.tests.join(", ")] : ["seen    ", seen];
    process.stdout.write(`${word}  ${mutant.name}: ${by}${earlier === undefined ? "" : " (earlier)"}\n`);
  }
}

/** Returns the first test that fails with the fault, and its file. Undefined if none fails. */
async function seenBy({ name, file, from, to, tests }: Mutant, folder: string): Promise<string | undefined> {
  results.forget(name);
  const path = join(folder, file);
  const text = readFileSync(path, "utf8");
  for (const test of tests) {
    await assertPasses(test, folder);
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
    const failed = await failureOf(test, folder);
    writeFileSync(path, text);
    if (failed !== undefined) return `${basename(test, ".test.ts")}: ${failed}`;
  }
  return undefined;
}

/** A test that fails without a fault can't show one. */
async function assertPasses(test: string, folder: string): Promise<void> {
  if (results.passes(test)) return;
  const failure = await failureOf(test, folder);
  if (failure !== undefined) throw new Error(`${test} fails without a fault: ${failure}`);
  results.add({ passes: test });
}

/** Returns the first test of this file that fails in the copy. Undefined if all pass. Doesn't wait for the others. */
async function failureOf(file: string, folder: string): Promise<string | undefined> {
  const child = spawn(process.execPath, ["--import", "tsx", "--test-reporter=tap", "--test", file], {
    cwd: folder,
    env: { ...process.env, FC_SEED: "1", NODE_TEST_CONTEXT: undefined, TMPDIR: join(folder, "tmp") },
    stdio: ["ignore", "pipe", "ignore"],
    timeout: maxMinutes * 60_000,
    detached: true,
  });
  const endTests = () => endGroup(child.pid);
  process.once("exit", endTests);
  const closed = once(child, "close");
  const startedAt = performance.now();
  let title: string | undefined;
  let reason = "what it needs cannot be made";
  for await (const line of createInterface(child.stdout)) {
    reason = /^# \w*Error.*?: (.+)$/.exec(line)?.[1] ?? reason;
    title ??= /^ *not ok \d+ - (.+)$/.exec(line)?.[1];
    if (title !== undefined) child.kill();
  }
  const [status] = await closed;
  process.off("exit", endTests);
  endTests();
  for (const each of globSync(join(folder, "tmp/crm-*"))) rmSync(each, { recursive: true, force: true, maxRetries: 5 });
  if (status === 0) return undefined;
  if (title !== undefined && !title.endsWith(".test.ts")) return title;
  if (performance.now() - startedAt >= maxMinutes * 60_000) return `it does not end within ${maxMinutes} minutes`;
  // Node names the test that caused an error after its end, and the place of the test.
  const late = /^Test "(.+)" at \S+ generated asynchronous activity/.exec(reason)?.[1];
  return late ?? `before its first test, ${reason}`;
}

/** Ends a test file and the servers that it has started. */
function endGroup(group: number | undefined): void {
  try {
    if (group !== undefined) process.kill(-group, "SIGKILL");
  } catch (error) {
    // Nothing is left.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
