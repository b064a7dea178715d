import { type ChildProcessWithoutNullStreams, type SpawnOptionsWithoutStdio, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { temporaryFolder } from "./temporary-folder.ts";
import { type Tenant, tenantFile } from "./tenants.ts";

/** The result of a run of the program. */
export type Ended = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** A running program. */
export type Started = {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  /** Resolves with all of stdout or stderr when it matches. Rejects if the program ends first. */
  waitForOutput(what: RegExp, where?: "stdout" | "stderr"): Promise<string>;
};

/** Options that turn off the log line per request. */
export const quiet = ["--log-level", "error"] as const;

/** The first line of `serve --json`. */
export type Greeting = {
  readonly url: string;
  readonly baseUrl: string;
  readonly pid: number;
  /** Signs in the first admin of the first tenant. */
  readonly signInLink: string;
  readonly keys: readonly {
    readonly tenant: string;
    readonly integration: string;
    readonly key: string;
    readonly scopes: readonly string[];
  }[];
};

const sourceCommand: readonly [string, ...string[]] = [process.execPath, "--import", "tsx", "bin/crm-integrations.ts"];

/** The command that starts the program: the one that test/run.ts built, or the sources. */
export const programCommand: readonly [string, ...string[]] =
  process.env.TEST_PROGRAM === undefined ? sourceCommand : [process.execPath, process.env.TEST_PROGRAM];

/**
 * The command that starts a newer version of the program, which has two more migrations. It runs from its sources, whose
 * modules can be replaced.
 */
export const newerProgramCommand = sourceCommand.toSpliced(-1, 0, "--import", "./test/support/newer-program.ts");

/** Starts the program. Kills it when the test ends. */
export function start(t: TestContext, ...args: string[]): Started {
  return startUnder(t, [], ...args);
}

/** Starts the program with another command in front of it, such as one that drops privileges. */
export function startUnder(t: TestContext, before: readonly string[], ...args: string[]): Started {
  return startCommand(t, [...before, ...programCommand, ...args]);
}

/** Starts a command. Kills it when the test ends. */
export function startCommand(
  t: { after(cleanUp: () => void): void },
  command: readonly string[],
  options: SpawnOptionsWithoutStdio = {},
): Started {
  const [program = "", ...args] = command;
  const child = spawn(program, args, options);
  t.after(() => child.kill("SIGKILL"));
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  const waitForOutput = (what: RegExp, where: "stdout" | "stderr" = "stdout"): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const text = where === "stdout" ? stdout : stderr;
        if (what.test(text)) resolve(text);
      };
      child[where].on("data", look);
      child.once("close", () =>
        reject(new Error(`The program ended before its output matched ${what}: ${stdout}${stderr}`)),
      );
      look();
    });
  return { child, ended, waitForOutput };
}

/** Starts the server with `--json` on a free port and reads its first line. Only errors are logged. */
export async function serving(t: TestContext, ...args: string[]): Promise<Started & { readonly greeting: Greeting }> {
  return servingUnder(t, [], ...args);
}

/** Starts the server with another command in front of it. */
export async function servingUnder(
  t: TestContext,
  before: readonly string[],
  ...args: string[]
): Promise<Started & { readonly greeting: Greeting }> {
  const started = startUnder(t, before, "serve", "--listen", "127.0.0.1:0", "--json", ...quiet, ...args);
  const [line = ""] = (await started.waitForOutput(/\n/)).split("\n");
  return { ...started, greeting: JSON.parse(line) };
}

/** Starts the server with metrics on a free port. */
export async function servingMetrics(
  t: TestContext,
  ...args: string[]
): Promise<Started & { readonly greeting: Greeting; readonly metricsUrl: string }> {
  const listen = ["--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0"];
  const started = startUnder(t, [], "serve", ...listen, "--json", ...args);
  const [line = ""] = (await started.waitForOutput(/\n/)).split("\n");
  const log = await started.waitForOutput(/"metricsUrl"/, "stderr");
  return { ...started, greeting: JSON.parse(line), metricsUrl: /"metricsUrl":"([^"]+)"/.exec(log)?.[1] ?? "" };
}

/** Creates a temporary folder with the tenant file of a tenant. */
export function tenantFolder(
  tenant: Tenant,
  context?: Pick<TestContext, "after">,
): { path(name: string): string; file: string } {
  const folder = temporaryFolder(context);
  const path = (name: string): string => join(folder, name);
  const file = path("tenant.json");
  writeFileSync(file, JSON.stringify(tenantFile(tenant)));
  return { path, file };
}
