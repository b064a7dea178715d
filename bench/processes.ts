import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { nodeOptions } from "../bin/cli/own-command.ts";

/** A server under test: a process of its own. */
export type Running = {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  /** The processor time that it has used so far, of all its threads, in milliseconds. */
  cpuMs(): number;
  /** Resident memory, in MiB. */
  memoryMiB(): number;
  stop(): Promise<void>;
};

/** The folder of the project, in which programs run. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/** With two processors, servers have one and the load generator the other. */
export const isPinned = availableParallelism() > 1;

/** This process and all that it starts from here on, but for the load generator, run on the first processor. */
export function pinServers(): void {
  if (isPinned) execFileSync("taskset", ["-apc", "0", String(process.pid)], { stdio: "ignore" });
}

/** The arguments with which a program runs on the other processor. */
export function onTheOther(command: string, args: readonly string[]): [string, string[]] {
  return isPinned ? ["taskset", ["-c", "1", command, ...args]] : [command, [...args]];
}

/** A TypeScript file as a server that says where it listens, as JSON on its first line. */
export async function start(
  name: string,
  file: string,
  args: readonly string[] = [],
  options: { readonly env?: Readonly<Record<string, string>>; readonly node?: readonly string[] } = {},
): Promise<Running> {
  const nodeArgs = [...(options.node ?? []), "--import", "tsx", file, ...args];
  const env = { ...process.env, ...options.env };
  const child = spawn(process.execPath, nodeArgs, { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  const ended = closed.then((): never => {
    throw new Error(`${name} ended with ${child.exitCode} before it said where it serves`);
  });
  ended.catch(() => {});
  const [line] = (await Promise.race([once(createInterface(child.stdout), "line"), ended])) as [string];
  const { url } = JSON.parse(line) as { url: string };
  const { pid = 0 } = child;
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    const force = setTimeout(() => child.kill("SIGKILL"), 15_000);
    await closed;
    clearTimeout(force);
    process.off("exit", kill);
  };
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  return { name, url, pid, cpuMs: () => cpuMsOf(pid), memoryMiB: () => memoryOf(pid), stop };
}

/**
 * The program itself on this folder, as anybody starts it. The rate is raised, for 300 a minute would be 5 a second, and
 * the log has no line for each request, for no other server here has one.
 */
export function startOurs(folder: string, options: Parameters<typeof start>[3] = {}): Promise<Running> {
  return startOursAt("crm-integrations", ["--data", folder], options);
}

/** The same under another name, on whatever place these arguments say. */
export function startOursAt(
  name: string,
  place: readonly string[],
  options: Parameters<typeof start>[3] = {},
): Promise<Running> {
  const args = [
    "serve",
    ...place,
    "--listen",
    "127.0.0.1:0",
    "--rate-limit",
    "99999",
    "--json",
    "--log-level",
    "error",
  ];
  return start(name, "bin/crm-integrations.ts", args, { ...options, node: [...nodeOptions, ...(options.node ?? [])] });
}

/** Of Linux: a hundredth of a second is its unit. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
}
