import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Question } from "../bench.ts";
import { median, roundsOf } from "../load.ts";
import { program, root, runScript } from "../processes.ts";
import type { Row } from "../results.ts";

const question = "Start";
const serve = ["serve", "--fixtures", "demo", "--listen", "127.0.0.1:0", "--json", "--log-level", "error"];

/** Ways to start the demo server. */
const ways: readonly (readonly [name: string, command: string, args: readonly string[]])[] = [
  ["`npm start`", process.execPath, ["--import", "tsx", "bin/crm-integrations.ts", ...serve]],
  ["the built package", process.execPath, [program, ...serve]],
  ["the binary", `dist/crm-integrations-${process.platform}-${process.arch}`, serve],
];

/** From the start of the process to the first response, compared with a Node that does nothing. */
export const starts: Question = async ({ rounds }) => {
  runScript("build:binary");
  const nothing: number[] = [];
  const seen = new Map<string, number[]>(ways.map(([name]) => [name, []]));
  for (const counts of roundsOf(rounds)) {
    const empty = await milliseconds(() => once(spawn(process.execPath, ["-e", "0"]), "close"));
    if (counts) nothing.push(empty);
    for (const [name, command, args] of ways) {
      const durationMs = await firstResponse(command, args);
      if (counts) seen.get(name)?.push(durationMs);
    }
  }
  const row = (name: string, times: readonly number[]): Row => {
    return { question, name, reached: median(times), unit: "ms", spread: [Math.min(...times), Math.max(...times)] };
  };
  return [row("`node -e 0`", nothing), ...[...seen].map(([name, times]) => row(`First response of ${name}`, times))];
};

async function firstResponse(command: string, args: readonly string[]): Promise<number> {
  const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  try {
    return await milliseconds(async () => {
      const [line] = (await once(createInterface(child.stdout), "line")) as [string];
      const { baseUrl, keys } = JSON.parse(line) as { baseUrl: string; keys: readonly { key: string }[] };
      const response = await fetch(`${baseUrl}/me`, { headers: { "x-api-key": keys[0]?.key ?? "" } });
      if (!response.ok) throw new Error(`${command} returned ${response.status} ${await response.text()}`);
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
