import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { publish } from "./guarantees.ts";
import { type Mutant, mutants } from "./mutants.ts";

/**
 * `npm run prove:mutants [-- NAME …]`: puts each named fault into a copy of the project, one at a time, and runs the
 * tests that must see it. Fails where one of them is not seen, and where a fault no longer fits the code.
 */

const folder = mkdtempSync(join(tmpdir(), "crm-mutants-"));
for (const name of [
  "lib",
  "bin",
  "test",
  "fixtures",
  "docs",
  "examples",
  "schema.sql",
  "package.json",
  "tsconfig.json",
])
  if (existsSync(name)) cpSync(name, join(folder, name), { recursive: true });
symlinkSync(resolve("node_modules"), join(folder, "node_modules"));

const asked = process.argv.slice(2);
const chosen = mutants.filter(({ name }) => asked.length === 0 || asked.includes(name));
// A test that fails without any fault sees none.
const tests = [...new Set(chosen.flatMap((mutant) => mutant.tests))];
const failing = failuresOf(tests);
if (failing !== undefined) throw new Error(`These fail without a fault: ${failing}`);
const survivors: string[] = [];
for (const mutant of chosen) {
  const seen = seenBy(mutant);
  process.stdout.write(
    `${seen === undefined ? "NOT SEEN" : "seen    "}  ${mutant.name}: ${seen ?? mutant.tests.join(", ")}\n`,
  );
  if (seen === undefined) survivors.push(mutant.name);
}
rmSync(folder, { recursive: true });
process.stdout.write(`${chosen.length - survivors.length} of ${chosen.length} faults were seen\n`);
if (survivors.length === 0 && asked.length === 0) {
  const text = `${chosen.length} faults, ${chosen.length} seen`;
  publish([{ harness: "mutants", test: "each of these faults in the source is seen by a test", text, seed: 0 }]);
}
process.exit(survivors.length === 0 ? 0 : 1);

/** The first tests that fail with the fault; undefined where none does. */
function seenBy({ name, file, from, to, tests }: Mutant): string | undefined {
  const path = join(folder, file);
  const text = readFileSync(path, "utf8");
  if (text.split(from).length !== 2) throw new Error(`${name}: ${file} no longer has this exactly once: ${from}`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  const failed = failuresOf(tests);
  writeFileSync(path, text);
  return failed;
}

/** The first tests of these files that fail in the copy; undefined where all pass. */
function failuresOf(files: readonly string[]): string | undefined {
  const args = ["--import", "tsx", "--test", "--test-reporter=tap", ...files];
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, FC_SEED: "1", NODE_TEST_CONTEXT: undefined },
    timeout: 400_000,
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status === 0) return undefined;
  const failed = [...stdout.matchAll(/^ *not ok \d+ - (.+)$/gm)].map(([, title]) => title);
  return failed.slice(0, 2).join("; ") || "the tests do not even start";
}
