import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { type Greeting, quiet } from "../support/program.ts";

/** The product as it is. */
export const project = fileURLToPath(new URL("../..", import.meta.url));
const librarySource = fileURLToPath(new URL("power-loss.c", import.meta.url));

/** Why power losses cannot be recorded on this machine; undefined where they can. */
export function unable(): string | undefined {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  if (process.platform !== "linux" || header.glibcVersionRuntime === undefined) return "needs Linux with glibc";
  const compiled = spawnSync("gcc", ["-E", "-x", "c", "-"], { input: "#include <pthread.h>\n" }).status === 0;
  return compiled ? undefined : "needs gcc and the headers of the C library";
}

/** Compiles the recorder into this folder and answers its path. */
export function compileRecorder(folder: string): string {
  const library = join(folder, "power-loss.so");
  const options = ["-O2", "-shared", "-fPIC", "-pthread", "-o", library];
  const { status, stderr } = spawnSync("gcc", [...options, librarySource], { encoding: "utf8" });
  if (status !== 0) throw new Error(`power-loss.c cannot be compiled: ${stderr}`);
  return library;
}

/** One change of the product's source: in this file, this text, which must be there, becomes that one. */
export type Edit = readonly [file: string, from: string, to: string];

/** The product with a fault in it, as a copy in this folder. */
export function faultyProduct(folder: string, edits: readonly Edit[]): string {
  for (const name of ["lib", "bin", "schema.sql", "package.json"]) {
    cpSync(join(project, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(project, "node_modules"), join(folder, "node_modules"));
  for (const [name, from, to] of edits) {
    const file = join(folder, name);
    const text = readFileSync(file, "utf8");
    if (text.split(from).length !== 2) throw new Error(`${name} does not have this text once: ${from}`);
    writeFileSync(file, text.replace(from, to));
  }
  return folder;
}

/** Where programs run, one after the other or beside each other, all of them recorded into one log. */
export type Machine = {
  /** The folder that is watched; the data folder is made in it by the program. */
  readonly root: string;
  readonly log: string;
  readonly library: string;
  /** Where the product's source lies. */
  readonly product: string;
  /** What the programs are started by; nothing in most cases. */
  readonly launcher?: readonly string[];
};

export type Server = {
  readonly greeting: Greeting;
  /** Asks it to end, where it still runs, and waits until it has. */
  end(): Promise<void>;
};

/** The data folder of a machine. */
export function dataOf(root: string): string {
  return join(root, "data");
}

function stopOf({ log }: Machine): string {
  return `${log}.stop`;
}

function run(t: TestContext, machine: Machine, args: readonly string[]): ChildProcess {
  const recorder = {
    LD_PRELOAD: machine.library,
    POWER_LOSS_ROOT: machine.root,
    POWER_LOSS_LOG: machine.log,
    POWER_LOSS_STOP: stopOf(machine),
  };
  const [program = "", ...options] = [
    ...(machine.launcher ?? []),
    process.execPath,
    "bin/crm-integrations.ts",
    ...args,
  ];
  const environment = { ...process.env, ...recorder };
  const child = spawn(program, options, {
    cwd: machine.product,
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  return child;
}

/** The first line that a program says. Rejects where it ends before. */
async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("stdout is not a pipe");
  const ended = once(child, "exit").then(([code]): never => {
    throw new Error(`the program ended with ${code} before it said anything`);
  });
  ended.catch(() => {});
  const [line] = await Promise.race([once(createInterface(child.stdout), "line"), ended]);
  return String(line);
}

/** Serves the machine's data folder, with these tenant files. */
export async function serve(t: TestContext, machine: Machine, fixtures: readonly string[]): Promise<Server> {
  const data = ["--data", dataOf(machine.root), "--listen", "127.0.0.1:0", "--json"];
  const child = run(t, machine, ["serve", ...data, ...quiet, "--fixtures", ...fixtures]);
  const ended = once(child, "exit");
  const greeting = JSON.parse(await firstLine(child)) as Greeting;
  const runs = (): boolean => child.exitCode === null && child.signalCode === null;
  t.after(() => runs() && process.kill(greeting.pid, "SIGKILL"));
  return {
    greeting,
    async end() {
      if (runs()) process.kill(greeting.pid, "SIGTERM");
      await ended;
    },
  };
}

/** Whichever program on this machine commits next dies in it, when that is written and not yet synced. */
export function dieInNextCommit(machine: Machine): void {
  writeFileSync(stopOf(machine), "");
}

/** Whether a program has died so since. */
export function diedInCommit(machine: Machine): boolean {
  return !existsSync(stopOf(machine));
}

/** Has an administrator's token printed, and answers it. */
export async function printToken(t: TestContext, machine: Machine, tenant: string, user: string): Promise<string> {
  const child = run(t, machine, ["token", "--data", dataOf(machine.root), "--tenant", tenant, "--user", user]);
  const ended = once(child, "exit");
  const line = await firstLine(child);
  await ended;
  return line;
}
