import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { nodeOptions } from "../bin/cli/child-process.ts";

/** A server under test, in its own process. */
export type Running = {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  /** Returns the CPU time of all its threads so far, in milliseconds. */
  cpuMs(): number;
  /** Returns the resident memory in MiB. */
  memoryMiB(): number;
  stop(): Promise<void>;
};

/** The folder of the project. Programs run in it. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/** The processors of this machine. Pinning a process changes what `availableParallelism` returns. */
const processorCount = availableParallelism();

/** With two processors, servers use one and the load generator the other. */
export const isPinned = processorCount > 1;

/** Moves this process and the processes that it starts to the first processor. */
export function pinServers(): void {
  if (isPinned) execFileSync("taskset", ["-apc", "0", String(process.pid)], { stdio: "ignore" });
}

/** Returns the arguments that run a program on the other processor. */
export function onOtherProcessor(command: string, args: readonly string[]): [string, string[]] {
  return isPinned ? ["taskset", ["-c", "1", command, ...args]] : [command, [...args]];
}

/** Returns the arguments that run a program on all processors. */
export function onAllProcessors(command: string, args: readonly string[]): [string, string[]] {
  return isPinned ? ["taskset", ["-c", `0-${processorCount - 1}`, command, ...args]] : [command, [...args]];
}

/**
 * Starts a file as a server. It prints its URL as JSON on the first line. tsx isn't used, because it adds work to each
 * function that a request creates.
 */
export async function start(
  name: string,
  file: string,
  args: readonly string[] = [],
  options: { readonly env?: Readonly<Record<string, string>>; readonly node?: readonly string[] } = {},
): Promise<Running> {
  const nodeArgs = [...(options.node ?? []), file, ...args];
  const env = { ...process.env, ...options.env };
  const child = spawn(process.execPath, nodeArgs, { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  const ended = closed.then((): never => {
    throw new Error(`${name} ended with ${child.exitCode} before it printed its address`);
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
  return { name, url, ...processFigures(pid), stop };
}

/** The built program, as the npm package has it. */
export const program = "dist/bin/crm-integrations.js";

/** Runs a script of package.json. */
export function runScript(name: string): void {
  execFileSync("npm", ["run", "--silent", name], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
}

type ProgramOptions = Parameters<typeof start>[3] & {
  /** The default is the built program. */
  readonly file?: string;
};

/**
 * Starts the program on this folder as a user would. The rate limit is raised, because 300 per minute is 5 per second,
 * and requests aren't logged, because no other server of the benchmark logs them.
 */
export function startProgram(folder: string, options: ProgramOptions = {}): Promise<Running> {
  return startProgramOn("crm-integrations", ["--data", folder], options);
}

/** Starts the program under another name with these storage arguments. */
export function startProgramOn(
  name: string,
  storageArgs: readonly string[],
  { file = program, ...options }: ProgramOptions = {},
): Promise<Running> {
  const args = [
    "serve",
    ...storageArgs,
    "--listen",
    "127.0.0.1:0",
    "--rate-limit",
    "99999",
    "--json",
    "--log-level",
    "error",
  ];
  return start(name, file, args, { ...options, node: [...nodeOptions, ...(options.node ?? [])] });
}

/** Returns the figures of a process that is a server. */
export function processFigures(pid: number): Pick<Running, "pid" | "cpuMs" | "memoryMiB"> {
  return { pid, cpuMs: () => cpuMsOf(pid), memoryMiB: () => memoryOf(pid) };
}

/** Starts an endless loop on each processor. The returned function ends them. */
export function keepProcessorsBusy(): () => void {
  const loops = Array.from({ length: processorCount }, (_, processor) =>
    spawn("taskset", ["-c", String(processor), "sh", "-c", "while :; do :; done"], { stdio: "ignore" }),
  );
  const stop = (): void => {
    for (const loop of loops) loop.kill("SIGKILL");
    process.off("exit", stop);
  };
  process.once("exit", stop);
  return stop;
}

/** Returns the CPU time from /proc, whose unit is a hundredth of a second. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
}
