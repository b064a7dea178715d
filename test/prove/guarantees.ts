import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

/** What one harness counted at its full size. */
export type Row = { readonly harness: string; readonly test: string; readonly text: string; readonly seed: number };

const page = "docs/guarantees.md";
const [start, end] = ["<!-- figures -->", "<!-- end of figures -->"];

/** Writes these rows into docs/guarantees.md; a harness that was not run keeps those that it has. */
export function publish(rows: readonly Row[]): void {
  const text = readFileSync(page, "utf8");
  const [before = "", rest = ""] = text.split(start);
  const [old = "", after = ""] = rest.split(end);
  const run = rows.map(({ harness }) => `| ${harness} |`);
  const keptRows = old.split("\n").filter((line) => /^\| [a-z]/.test(line) && !run.some((row) => line.startsWith(row)));
  const table = [...keptRows.filter((line) => !line.startsWith("| harness |")), ...rows.map(rowOf)].sort();
  const head = ["| harness | what was tried | what was seen | when, at which commit, seed |", "|---|---|---|---|"];
  writeFileSync(page, [before, start, "\n", [...head, ...table].join("\n"), "\n", end, after].join(""));
}

function rowOf({ harness, test, text, seed }: Row): string {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const day = new Date().toISOString().slice(0, 10);
  return `| ${harness} | ${test.replaceAll("|", "/")} | ${text} | ${day}, ${commit}, ${seed} |`;
}
