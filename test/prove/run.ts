import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

/**
 * `npm run prove [-- HARNESS …]`: every harness at its full size, one after the other, and its figures into
 * docs/guarantees.md. A harness that is not run keeps its row.
 */

type Row = { readonly harness: string; readonly test: string; readonly text: string; readonly seed: number };

const page = "docs/guarantees.md";
const [start, end] = ["<!-- figures -->", "<!-- end of figures -->"];

const asked = process.argv.slice(2);
const files = globSync("test/prove/*.test.ts").sort();
const chosen = files.filter((file) => asked.length === 0 || asked.includes(basename(file, ".test.ts")));
if (chosen.length === 0) {
  process.stderr.write(`There is no such harness. There are: ${files.map((file) => basename(file, ".test.ts"))}\n`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), "crm-prove-"));
const kept = join(folder, "figures.jsonl");
const environment = { ...process.env, PROVE: "full", PROVE_FIGURES: kept };
const flags = ["--import", "tsx", "--test", "--test-concurrency=1", ...chosen];
const { status } = spawnSync(process.execPath, flags, { stdio: "inherit", env: environment });
const lines = existsSync(kept) ? readFileSync(kept, "utf8").trim().split("\n") : [];
rmSync(folder, { recursive: true });
if (status === 0) publish(lines.map((line) => JSON.parse(line) as Row));
process.exit(status ?? 1);

function publish(rows: readonly Row[]): void {
  const text = readFileSync(page, "utf8");
  const [before = "", rest = ""] = text.split(start);
  const [old = "", after = ""] = rest.split(end);
  const run = rows.map(({ harness }) => `| ${harness} |`);
  const keptRows = old.split("\n").filter((line) => /^\| [a-z]/.test(line) && !run.some((row) => line.startsWith(row)));
  const table = [...keptRows, ...rows.map(rowOf)].sort();
  const head = ["| harness | what was tried | what was seen | when, at which commit, seed |", "|---|---|---|---|"];
  writeFileSync(page, [before, start, "\n", [...head, ...table].join("\n"), "\n", end, after].join(""));
}

function rowOf({ harness, test, text, seed }: Row): string {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const day = new Date().toISOString().slice(0, 10);
  return `| ${harness} | ${test.replaceAll("|", "/")} | ${text} | ${day}, ${commit}, ${seed} |`;
}
