import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { publish, publishFaults } from "../figures.ts";
import { findListErrors, findMisfits } from "./check-mutants.ts";
import type { Mutant } from "./mutant.ts";
import { mutants } from "./mutants.ts";
import { MutantResults } from "./results.ts";

/**
 * `npm run prove:mutants [-- NAME …]` puts one fault at a time into a copy of the project and runs the tests that must
 * fail. It exits with an error if none of them fails, or if the text that a fault replaces no longer exists. The next
 * run continues an interrupted one, unless code or tests have changed. Faults given by name always run.
 */

const parts = "lib bin test fixtures docs examples schema.sql package.json tsconfig.json README.md CHANGELOG.md";
const maxMinutes = 5;

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

const results = MutantResults.of(["lib", "bin", "test", "schema.sql"]);
const folder = mkdtempSync(join(tmpdir(), "crm-mutants-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const name of parts.split(" ")) if (existsSync(name)) cpSync(name, join(folder, name), { recursive: true });
symlinkSync(resolve("node_modules"), join(folder, "node_modules"));

for (const mutant of chosen) {
  const earlier = named.length === 0 ? results.seen(mutant.name) : undefined;
  const seen = earlier ?? seenBy(mutant);
  if (earlier === undefined && seen !== undefined) results.add({ fault: mutant.name, seen });
  const [word, by] = seen === undefined ? ["NOT SEEN", mutant.tests.join(", ")] : ["seen    ", seen];
  process.stdout.write(`${word}  ${mutant.name}: ${by}${earlier === undefined ? "" : " (earlier)"}\n`);
}
const found = chosen.map(({ name, file }) => ({ name, file, seen: results.seen(name) }));
const seen = found.filter((each) => each.seen !== undefined).length;
process.stdout.write(`${seen} of ${chosen.length} faults were seen\n`);
if (seen === mutants.length) {
  const text = `${chosen.length} faults, ${seen} seen`;
  publish([{ harness: "mutants", test: "each of these faults in the source is seen by a test", text, seed: 1 }]);
  publishFaults(found.map(({ name, file, seen = "" }) => ({ name, file, seen })));
}
process.exit(seen === chosen.length ? 0 : 1);

/** Returns the first test that fails with the fault, and its file. Undefined if none fails. */
function seenBy({ name, file, from, to, tests }: Mutant): string | undefined {
  results.forget(name);
  const path = join(folder, file);
  const text = readFileSync(path, "utf8");
  for (const test of tests) {
    assertPasses(test);
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
    const failed = failureOf(test);
    writeFileSync(path, text);
    if (failed !== undefined) return `${basename(test, ".test.ts")}: ${failed}`;
  }
  return undefined;
}

/** A test that fails without a fault can't show one. */
function assertPasses(test: string): void {
  if (results.passes(test)) return;
  const failure = failureOf(test);
  if (failure !== undefined) throw new Error(`${test} fails without a fault: ${failure}`);
  results.add({ passes: test });
}

/** Returns the first test of this file that fails in the copy. Undefined if all pass. */
function failureOf(file: string): string | undefined {
  const { status, stdout } = spawnSync(process.execPath, ["--import", "tsx", "--test-reporter=tap", "--test", file], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, FC_SEED: "1", NODE_TEST_CONTEXT: undefined },
    timeout: maxMinutes * 60_000,
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status === 0) return undefined;
  const [, title] = /^ *not ok \d+ - (.+)$/m.exec(stdout) ?? [];
  if (title !== undefined && !title.endsWith(".test.ts")) return title;
  if (status === null) return `it does not end within ${maxMinutes} minutes`;
  const [, reason = "what it needs cannot be made"] = /^# \w*Error.*?: (.+)$/m.exec(stdout) ?? [];
  return `before its first test, ${reason}`;
}
