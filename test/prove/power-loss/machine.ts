import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { type Greeting, quiet } from "../../support/program.ts";

/** The folder of the project. */
export const project = fileURLToPath(new URL("../../..", import.meta.url));
const librarySource = fileURLToPath(new URL("recorder.c", import.meta.url));

/** Returns why this machine can't record power losses, or undefined if it can. */
export function skipReason(): string | undefined {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  if (process.platform !== "linux" || header.glibcVersionRuntime === undefined) return "needs Linux with glibc";
  const compiled = spawnSync("gcc", ["-E", "-x", "c", "-"], { input: "#include <pthread.h>\n" }).status === 0;
  return compiled ? undefined : "needs gcc and the headers of the C library";
}

/** Compiles the recorder into this folder and returns its path. */
export function compileRecorder(folder: string): string {
  const library = join(folder, "power-loss.so");
  const options = ["-O2", "-shared", "-fPIC", "-pthread", "-o", library];
  const { status, stderr } = spawnSync("gcc", [...options, librarySource], { encoding: "utf8" });
  if (status !== 0) throw new Error(`can't compile recorder.c: ${stderr}`);
  return library;
}

/** A change of the source: in this file, `to` replaces `from`, which must occur once. */
export type Edit = readonly [file: string, from: string, to: string];

/** Copies the source into this folder and applies these edits. */
export function copyWithEdits(folder: string, edits: readonly Edit[]): string {
  for (const name of ["lib", "bin", "schema.sql", "package.json"]) {
    cpSync(join(project, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(project, "node_modules"), join(folder, "node_modules"));
  for (const [name, from, to] of edits) {
    const file = join(folder, name);
    const text = readFileSync(file, "utf8");
    if (text.split(from).length !== 2) throw new Error(`${name} must contain this text once: ${from}`);
    writeFileSync(file, text.replace(from, to));
  }
  return folder;
}

/** A machine on which programs run, one after the other or in parallel. The recorder writes one event log. */
export type Machine = {
  /** The recorded folder. The program creates the data folder in it. */
  readonly root: string;
  readonly log: string;
  readonly library: string;
  /** The folder of the source. */
  readonly source: string;
  /** A command that starts the programs, such as strace. */
  readonly launcher?: readonly string[];
};

export type Server = {
  readonly greeting: Greeting;
  /** Stops the program if it still runs, and waits until it has ended. */
  end(): Promise<void>;
};

/** Returns the data folder of a machine. */
export function dataFolder(root: string): string {
  return join(root, "data");
}

function stopFile({ log }: Machine): string {
  return `${log}.stop`;
}

function startProgram(t: TestContext, machine: Machine, args: readonly string[]): ChildProcess {
  const recorder = {
    LD_PRELOAD: machine.library,
    POWER_LOSS_ROOT: machine.root,
    POWER_LOSS_LOG: machine.log,
    POWER_LOSS_STOP: stopFile(machine),
  };
  const [program = "", ...options] = [
    ...(machine.launcher ?? []),
    process.execPath,
    "bin/crm-integrations.ts",
    ...args,
  ];
  const environment = { ...process.env, ...recorder };
  const child = spawn(program, options, {
    cwd: machine.source,
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  return child;
}

/** Returns the first line on stdout. Rejects if the program ends before it. */
async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("stdout is not a pipe");
  const ended = once(child, "exit").then(([code]): never => {
    throw new Error(`the program ended with ${code} before its first line`);
  });
  ended.catch(() => {});
  const [line] = await Promise.race([once(createInterface(child.stdout), "line"), ended]);
  return String(line);
}

/** Serves the machine's data folder, with these tenant files. */
export async function serve(t: TestContext, machine: Machine, fixtures: readonly string[]): Promise<Server> {
  const data = ["--data", dataFolder(machine.root), "--listen", "127.0.0.1:0", "--json"];
  const child = startProgram(t, machine, ["serve", ...data, ...quiet, "--fixtures", ...fixtures]);
  const ended = once(child, "exit");
  const greeting = JSON.parse(await firstLine(child)) as Greeting;
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  t.after(() => isRunning() && process.kill(greeting.pid, "SIGKILL"));
  return {
    greeting,
    async end() {
      if (isRunning()) process.kill(greeting.pid, "SIGTERM");
      await ended;
    },
  };
}

/** Kills the program that commits next on this machine, after its write to the WAL and before the fsync. */
export function dieInNextCommit(machine: Machine): void {
  writeFileSync(stopFile(machine), "");
}

/** Returns whether a program has died in a commit since `dieInNextCommit`. */
export function diedInCommit(machine: Machine): boolean {
  return !existsSync(stopFile(machine));
}

/** Runs the `token` command and returns the admin token. */
export async function printToken(t: TestContext, machine: Machine, tenant: string, user: string): Promise<string> {
  const options = ["--data", dataFolder(machine.root), "--tenant", tenant, "--user", user];
  const child = startProgram(t, machine, ["token", ...options]);
  const ended = once(child, "exit");
  const line = await firstLine(child);
  await ended;
  return line;
}
