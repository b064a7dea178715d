import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { programCommand } from "./program.ts";
import type { Ended } from "./run-program.ts";

/** The first line of `serve --json`, and a function that stops the server. */
export type Served = {
  readonly url: string;
  readonly baseUrl: string;
  readonly signInLink: string;
  readonly keys: readonly { readonly tenant: string; readonly integration: string; readonly key: string }[];
  /** Stops the server and returns its exit code. */
  stop(): Promise<number | null>;
};

/** The folder of the project, in which programs run. */
const cwd = fileURLToPath(new URL("../..", import.meta.url));
const program = programCommand.slice(1);

/** Maximum duration of a command. Then it is killed, and its test fails. */
const longestMs = 60_000;

/** Runs a command to its end. */
export async function run(command: string, args: readonly string[]): Promise<Ended> {
  const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"], timeout: longestMs });
  const closed = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code: child.exitCode, stdout, stderr };
}

/** Serves the demo tenant on a free port, from this data folder or in memory. */
export async function serveDemo(data?: string, ...more: readonly string[]): Promise<Served> {
  const options = ["--fixtures", "demo", "--listen", "127.0.0.1:0", "--json", "--log-level", "error", ...more];
  const args = [...program, "serve", ...(data === undefined ? [] : ["--data", data]), ...options];
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  const ended = closed.then((): never => {
    throw new Error(`serve ended with ${child.exitCode} before it printed its URL`);
  });
  ended.catch(() => {});
  const [line] = await Promise.race([once(createInterface(child.stdout), "line"), ended]);
  return {
    ...JSON.parse(line),
    async stop() {
      child.kill("SIGTERM");
      await closed;
      return child.exitCode;
    },
  };
}
