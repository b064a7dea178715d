import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { resolve, sep } from "node:path";

const children = new Set<ChildProcess>();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    for (const child of children) child.kill(signal);
  });
}

// Node 22 has an older name for this option.
const noIsolation = process.versions.node.startsWith("22.")
  ? "--experimental-test-isolation=none"
  : "--test-isolation=none";

/** Runs test files in as many processes as there are cores. Returns whether all tests passed. */
export async function runShared(files: readonly string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  const count = Math.min(availableParallelism(), files.length);
  const parts = Array.from({ length: count }, (_, part) => files.filter((_, index) => index % count === part));
  const results = await Promise.all(parts.map((part) => run([noIsolation, ...part], env)));
  return results.every((passed) => passed);
}

/** Tests that measure time, so that no other test may run at the same time: folders, or files. */
const timedTests = [
  "prove/limits",
  "prove/failures/locked-database.test.ts",
  "prove/failures/postgres-restart.test.ts",
];

/**
 * Runs each test file in a process of its own: one more at a time than there are cores, because a test often waits for
 * its programs, then those that measure time, one after the other. Returns whether all tests passed.
 */
export async function runIsolated(files: readonly string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  const { timed = [], others = [] } = Object.groupBy(files, (file) => (isIn(file, timedTests) ? "timed" : "others"));
  const havePassed = [await runEach(others, availableParallelism() + 1, env), await runEach(timed, 1, env)];
  return havePassed.every(Boolean);
}

async function runEach(files: readonly string[], count: number, env: NodeJS.ProcessEnv): Promise<boolean> {
  return files.length === 0 || (await run([`--test-concurrency=${count}`, ...files], env));
}

/**
 * Runs each test file in a process of its own, and again after each change of a file that it depends on, until a
 * signal.
 */
export async function watch(files: readonly string[]): Promise<never> {
  const child = spawn(process.execPath, ["--import", "tsx", "--test", "--watch", ...files], { stdio: "inherit" });
  children.add(child);
  const [code] = await once(child, "exit");
  process.exit(code ?? 0);
}

/** A test that takes longer fails, so that one that waits forever is named. Tests can set a longer time. */
const timeoutMs = 15 * 60_000;

async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  const reporter = ["--test-reporter=./test/support/reporter.ts", "--test-reporter-destination=stdout"];
  const options = ["--import", "tsx", "--test", `--test-timeout=${timeoutMs}`, ...reporter];
  const child = spawn(process.execPath, [...options, ...args], { env, stdio: "inherit" });
  children.add(child);
  const [code] = await once(child, "exit");
  children.delete(child);
  return code === 0;
}

/** Returns whether a file is one of these files of test/, or in one of these folders. */
export function isIn(file: string, places: readonly string[]): boolean {
  return places.some((place) => (resolve(file) + sep).startsWith(resolve("test", place) + sep));
}
