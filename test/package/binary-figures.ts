import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { constants, gzipSync, zstdCompressSync } from "node:zlib";

/**
 * Prints the size of the binary, the time to its first response and its idle memory. Alternates with `node -e 0`,
 * because other work on the machine slows both. `npm run measure:binary`.
 */

const binary = resolve(`dist/crm-integrations-${process.platform}-${process.arch}`);
const rounds = Number(process.argv[2] ?? 15);
/** Garbage of the start is collected, and memory given back, within this time. */
const idleMs = 3_000;

const folder = mkdtempSync(join(tmpdir(), "crm-figures-"));
const args = ["serve", "--data", join(folder, "data"), "--listen", "127.0.0.1:0", "--json", "--log-level", "error"];

async function nodeAlone(): Promise<number> {
  const startedAt = performance.now();
  await once(spawn(process.execPath, ["-e", "0"], { env: {} }), "exit");
  return performance.now() - startedAt;
}

/** Measures the time until a response that needs the database, which is new in the first round. */
async function firstResponse(idle: number) {
  const begun = performance.now();
  const child = spawn(binary, args, { env: {}, stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface(child.stdout), "line");
  const response = await fetch(`${JSON.parse(line).baseUrl}/me`, { headers: { "x-api-key": "none" } });
  await response.text();
  const ms = performance.now() - begun;
  const cpuMs = cpuOf(child.pid);
  await pause(idle);
  const memory = memoryOf(child.pid);
  child.kill("SIGTERM");
  await once(child, "exit");
  return { ms, cpuMs, memory };
}

function cpuOf(pid: number | undefined): number {
  const [user = 0, system = 0] =
    readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ").slice(11).map(Number) ?? [];
  return (user + system) * 10;
}

/** Megabytes: all that is in memory, and what of it no other process could share. */
function memoryOf(pid: number | undefined): readonly [rss: number, own: number] {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const of = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]) / 1000;
  return [of("VmRSS"), of("RssAnon")];
}

const median = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? Number.NaN;
const shown = (figure: number): string => figure.toFixed(figure < 10 ? 1 : 0);

try {
  const turns: { readonly node: number; readonly crm: Awaited<ReturnType<typeof firstResponse>> }[] = [];
  for (let round = 0; round < rounds; round++) {
    const node = await nodeAlone();
    turns.push({ node, crm: await firstResponse(round === 0 ? idleMs : 0) });
  }
  const bytes = readFileSync(binary);
  const zstd = zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 9 } });
  const mega = (size: number): string => `${(size / 1e6).toFixed(1)} MB`;
  const [rss, own] = turns[0]?.crm.memory ?? [];
  const lines = [
    `size              ${mega(statSync(binary).size)}, gzip -9 ${mega(gzipSync(bytes, { level: 9 }).length)}, zstd -9 ${mega(zstd.length)}`,
    `node -e 0         ${shown(median(turns.map(({ node }) => node)))} ms (median of ${rounds})`,
    `new database      ${shown(turns[0]?.crm.ms ?? Number.NaN)} ms to the first response (once)`,
    `first response    ${shown(median(turns.slice(1).map(({ crm }) => crm.ms)))} ms, of these ${shown(median(turns.slice(1).map(({ crm }) => crm.cpuMs)))} ms at work`,
    `idle              ${shown(rss ?? Number.NaN)} MB, ${shown(own ?? Number.NaN)} MB of them its own`,
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
