import { execSync } from "node:child_process";
import { globSync } from "node:fs";
import { resolve } from "node:path";
import { isIn, runIsolated, runShared, watch } from "./support/test-processes.ts";

/**
 * Runs test files. Arguments are tiers, which are the folders of test/, or files. The default is what `npm test` runs.
 *
 * The files of `unit`, `api` and `cli/in-process` share processes, because a process for each file takes longer than
 * its tests. The other files have a process each, one more at a time than there are cores. Tests that measure time run
 * alone. If any of them may start the program, the program is built once, before the tests.
 *
 * `--watch` runs the files of `unit` and `api`, or the named ones, and then those that depend on a changed file. Tests
 * of the program then start it from its source.
 */
const defaultTiers = ["unit", "api", "smoke"];
const watchedTiers = ["unit", "api"];
/** Folders whose files share processes. */
const sharedFolders = ["unit", "api", "cli/in-process"];
const programTiers = ["smoke", "cli", "docs", "postgres", "citus", "prove", "pipelines"];

const startedAt = Date.now();
const isWatching = process.argv[2] === "--watch";
const args = process.argv.slice(isWatching ? 3 : 2);
const chosen = args.length > 0 ? args : isWatching ? watchedTiers : defaultTiers;
const files = chosen.flatMap((name) => (name.endsWith(".ts") ? [name] : globSync(`test/${name}/**/*.test.ts`).sort()));
if (files.length === 0) throw new Error(`There are no test files in ${chosen.join(", ")}.`);

if (isWatching) await watch(files);

const env = { ...process.env, ...(files.some((file) => isIn(file, programTiers)) && { TEST_PROGRAM: build() }) };
const { shared = [], isolated = [] } = Object.groupBy(files, (file) =>
  isIn(file, sharedFolders) ? "shared" : "isolated",
);
const hasPassed = [await runShared(shared, env), await runIsolated(isolated, env)];
process.stdout.write(`${files.length} test files in ${Math.round((Date.now() - startedAt) / 1000)} s\n`);
process.exitCode = hasPassed.every(Boolean) ? 0 : 1;

/** Builds the program and returns its path. */
function build(): string {
  // Windows runs npm, which is a script there, only through a shell.
  execSync("npm run --silent build", { stdio: "inherit" });
  return resolve("dist/bin/crm-integrations.js");
}
