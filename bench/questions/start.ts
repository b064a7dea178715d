import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Question } from "../bench.ts";
import { median } from "../load.ts";
import { root } from "../processes.ts";
import type { Row } from "../results.ts";

const question = "Start";
const serve = ["serve", "--fixtures", "demo", "--listen", "127.0.0.1:0", "--json"];

/** Ways to start the demo server; what was not built is left out, with a word. */
function ways(): readonly (readonly [name: string, command: string, args: readonly string[]])[] {
  const built = join(root, "dist/bin/crm-integrations.js");
  const [binary] = globSync(join(root, "dist/crm-integrations*")).filter((path) => !path.endsWith(".json"));
  return [
    ["`npm start`", process.execPath, ["--import", "tsx", "bin/crm-integrations.ts", ...serve]],
    ["the built package", process.execPath, existsSync(built) ? [built, ...serve] : []],
    ["the binary", binary ?? "", binary === undefined ? [] : serve],
  ];
}

/** From the start of the process to the first answer, beside that of a Node that does nothing. */
export const starts: Question = async ({ rounds }) => {
  const nothing: number[] = [];
  const seen = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round++) {
    const empty = await milliseconds(() => once(spawn(process.execPath, ["-e", "0"]), "close"));
    if (round > 0) nothing.push(empty);
    for (const [name, command, args] of ways()) {
      if (args.length === 0) continue;
      const taken = await firstAnswer(command, args);
      if (round > 0) seen.set(name, [...(seen.get(name) ?? []), taken]);
    }
  }
  const rows: Row[] = [{ question, name: "`node -e 0`", reached: median(nothing), unit: "ms" }];
  for (const [name] of ways()) {
    const times = seen.get(name);
    const head = { question, name: `First answer of ${name}` };
    if (times === undefined) rows.push({ ...head, reached: Number.NaN, unit: "ms", note: "not built here" });
    else rows.push({ ...head, reached: median(times), unit: "ms", spread: [Math.min(...times), Math.max(...times)] });
  }
  return rows;
};

async function firstAnswer(command: string, args: readonly string[]): Promise<number> {
  const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  try {
    return await milliseconds(async () => {
      const [line] = (await once(createInterface(child.stdout), "line")) as [string];
      await (await fetch(`${(JSON.parse(line) as { baseUrl: string }).baseUrl}/me`)).text();
    });
  } finally {
    child.kill("SIGTERM");
    await closed;
  }
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
