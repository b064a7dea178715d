import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

/** The figures of one test at full size. */
export type Row = { readonly harness: string; readonly test: string; readonly text: string; readonly seed: number };

const page = "docs/project/guarantees-figures.md";

/** Writes these rows to docs/project/guarantees-figures.md. The rows of other tests stay. */
export function publish(rows: readonly Row[]): void {
  const run = rows.map(({ harness }) => `| ${harness} |`);
  const head = ["| test file | test | figures | date, commit, seed |", "|---|---|---|---|"];
  rewrite("figures", (old) => {
    const others = old.filter((line) => /^\| [a-z]/.test(line) && !run.some((row) => line.startsWith(row)));
    return [...head, ...[...others.filter((line) => line !== head[0]), ...rows.map(rowOf)].sort()];
  });
}

/** A fault in the source, and the test that failed. */
export type FaultSeen = { readonly name: string; readonly file: string; readonly seen: string };

/** Replaces the table of faults. */
export function publishFaults(faults: readonly FaultSeen[]): void {
  const rows = faults.map(({ name, file, seen }) => `| ${name} | ${file} | ${cell(seen)} |`);
  rewrite("faults", () => ["| fault | put into | seen by |", "|---|---|---|", ...rows]);
}

/** Replaces the lines between the marks of this part of the page. */
function rewrite(part: string, write: (old: readonly string[]) => readonly string[]): void {
  const [start, end] = [`<!-- ${part} -->`, `<!-- end of ${part} -->`];
  const text = readFileSync(page, "utf8");
  const [before = "", rest = ""] = text.split(start);
  const [old = "", after = ""] = rest.split(end);
  writeFileSync(page, [before, start, "\n", write(old.split("\n")).join("\n"), "\n", end, after].join(""));
}

function cell(text: string): string {
  return text.replaceAll("|", "/");
}

function rowOf({ harness, test, text, seed }: Row): string {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const day = new Date().toISOString().slice(0, 10);
  return `| ${harness} | ${cell(test)} | ${text} | ${day}, ${commit}, ${seed} |`;
}
