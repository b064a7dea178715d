import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import type { Bench, Question } from "./bench.ts";
import { makeCrm } from "./database.ts";
import { picture } from "./picture.ts";
import { isPinned, pinServers, root, runScript } from "./processes.ts";
import { bodies } from "./questions/bodies.ts";
import { costs } from "./questions/costs.ts";
import { growth } from "./questions/growth.ts";
import { hour } from "./questions/hour.ts";
import { imports } from "./questions/import.ts";
import { peers } from "./questions/peers.ts";
import { postgres } from "./questions/postgres.ts";
import { reads } from "./questions/reads.ts";
import { size } from "./questions/size.ts";
import { starts } from "./questions/start.ts";
import { sync } from "./questions/sync.ts";
import { updates } from "./questions/updates.ts";
import { writes } from "./questions/writes.ts";
import { isMet, type Row, rounded, tables } from "./results.ts";

const questions: Readonly<Record<string, Question>> = {
  reads,
  writes,
  updates,
  growth,
  import: imports,
  postgres,
  sync,
  size,
  start: starts,
  costs,
  bodies,
  peers,
};

/** Questions that take too long to run by default. */
const longQuestions: Readonly<Record<string, Question>> = { hour };

/** Determined before the benchmark writes any file. */
const commit = execFileSync("git", ["describe", "--always", "--dirty"], { cwd: root, encoding: "utf8" }).trim();

const usage = `Usage: npm run bench [-- [--quick | --hasty] [QUESTION...]]

  --quick  small data and one round
  --hasty  half the rounds

Questions: ${Object.keys(questions).join(", ")}
Only if named: ${Object.keys(longQuestions).join(", ")}
`;

/** Runs the named questions, or all that don't take too long. */
async function run(args: readonly string[]): Promise<void> {
  if (args.includes("--help")) return void process.stdout.write(usage);
  const unknownOption = args.find((arg) => arg.startsWith("-") && arg !== "--quick" && arg !== "--hasty");
  if (unknownOption !== undefined) return reportUsageError(`Unknown option ${unknownOption}.`);
  const isQuick = args.includes("--quick");
  const hasty = args.includes("--hasty");
  const named = args.filter((arg) => !arg.startsWith("--"));
  const known = { ...questions, ...longQuestions };
  const unknown = named.find((name) => !(name in known));
  if (unknown !== undefined) return reportUsageError(`There is no question ${unknown}.`);
  const selected = named.length === 0 ? Object.keys(questions) : named;
  const started = Date.now();
  // On a signal, stop the servers too.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  runScript("build");
  pinServers();
  const folder = mkdtempSync(join(tmpdir(), "crm-bench-"));
  const crm = await makeCrm({ tenants: 100, tasks: isQuick ? 50_000 : 1_000_000 });
  const bench: Bench = {
    folder,
    crm,
    isQuick,
    rounds: isQuick ? 1 : hasty ? 2 : 4,
    seconds: isQuick ? 1 : 2,
  };
  const rows: Row[] = [];
  try {
    for (const name of selected) {
      process.stderr.write(`${seconds(started)} s  ${name}\n`);
      rows.push(...(await (known[name] as Question)(bench)));
      publish(rows, headOf(crm.size.tasks, args, seconds(started)), isQuick || named.length > 0);
    }
  } finally {
    for (const each of [folder, crm.folder]) rmSync(each, { recursive: true });
  }
}

function reportUsageError(message: string): void {
  process.stderr.write(`${message}\n${usage}`);
  process.exitCode = 2;
}

/**
 * Writes the result files after each question of a full run, so that an interrupted run keeps its results. Prints a
 * partial run.
 */
function publish(rows: readonly Row[], head: string, isPart: boolean): void {
  if (isPart) return void process.stdout.write(`${head}\n\n${tables(rows)}\n`);
  writeFileSync(join(root, "bench/results.md"), `${head}\n\n${verdict(rows)}\n\n${tables(rows)}\n`);
  const caption = `Goals and what was reached, ${new Date().toISOString().slice(0, 10)}: bars left of the line miss theirs`;
  writeFileSync(join(root, "bench/results.svg"), picture(rows, caption));
  process.stdout.write(`bench/results.md and bench/results.svg are written. ${verdict(rows)}\n`);
}

function headOf(tasks: number, args: readonly string[], took: number): string {
  const command = ["npm run bench", ...(args.length > 0 ? ["--", ...args] : [])].join(" ");
  const [processor] = cpus();
  const facts = [
    ["Date", new Date().toISOString().slice(0, 16).replace("T", " ")],
    ["Commit", commit],
    ["Machine", `${cpus().length} × ${processor?.model.trim()}, ${process.platform} ${process.arch}`],
    ["Node", process.version],
    ["Command", `\`${command}\`, ${took} s`],
    ["Database", `${tasks.toLocaleString("en")} tasks in 100 tenants`],
    ["Pinned", isPinned ? "servers to one processor, the load to another" : "no: there is one processor"],
    [
      "Load of the machine at the end",
      loadavg()
        .map((each) => each.toFixed(1))
        .join(", "),
    ],
  ];
  const busy = (loadavg()[0] ?? 0) > 2 * cpus().length;
  const warning =
    "**The machine had much else to do.** Ratios by throughput then say little; those by processor time say more.";
  const lines = facts.map(([name, value]) => `| ${name} | ${value} |`);
  return ["# Results", "", "| | |", "| --- | --- |", ...lines, ...(busy ? ["", warning] : [])].join("\n");
}

function verdict(rows: readonly Row[]): string {
  const judged = rows.filter((row) => isMet(row) !== undefined);
  const missed = judged.filter((row) => isMet(row) === false);
  const list = missed.map(
    ({ name, reached, unit, note, why }) =>
      `- ${name}: ${rounded(reached)} ${unit}${note ? ` (${note})` : ""}${why ? `. ${why}` : ""}`,
  );
  return [
    `${judged.length - missed.length} of ${judged.length} goals were met.${missed.length > 0 ? " Missed:" : ""}`,
    ...list,
  ].join("\n");
}

function seconds(since: number): number {
  return Math.round((Date.now() - since) / 1000);
}

await run(process.argv.slice(2));
