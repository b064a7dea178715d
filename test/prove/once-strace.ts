import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** The calls that a fault can be put into, as SQLite and Node make them on one Linux or the other. */
const calls = { write: ["pwrite64"], cut: ["ftruncate"], sync: ["fsync"], link: ["link", "linkat"] } as const;
export type Call = keyof typeof calls;

/** What becomes of the nth such call: it kills the program before it is done, or it fails; and so do some, or all, after it. */
export type Fault = {
  readonly call: Call;
  readonly effect: "SIGKILL" | "EIO" | "ENOSPC";
  readonly n: number;
  readonly times?: number;
};

/** A program that is watched. */
export type Watch = {
  /** Lets go of it, unless it has ended by itself, and answers what it did: a line for each call. */
  end(hasEnded: boolean): Promise<readonly string[]>;
};

/**
 * The command under which a program is watched from its start, with so many bytes of what it writes: what it does to
 * these files, or to all. A fault may be put in.
 */
export function strace(log: string, files: readonly string[], bytes: number, fault?: Fault): readonly string[] {
  // It stops the program at these calls only, and is fast for it; but what it is to kill there then lives.
  const filter = fault?.effect === "SIGKILL" ? [] : ["--seccomp-bpf"];
  const text = bytes === 0 ? ["-s", "0"] : ["-xx", "-s", String(bytes)];
  return ["strace", ...filter, ...text, "-o", log, ...watching(files, fault)];
}

function watching(files: readonly string[], fault?: Fault): string[] {
  const paths = files.flatMap((file) => ["-P", file]);
  return ["-f", "-y", ...paths, "-e", `trace=${named(Object.values(calls).flat())}`, ...injection(fault)];
}

function injection(fault: Fault | undefined): string[] {
  if (fault === undefined) return [];
  const effect = fault.effect === "SIGKILL" ? "signal=SIGKILL" : `error=${fault.effect}`;
  const { call, n, times = 1 } = fault;
  const last = Number.isFinite(times) ? `..${n + times - 1}` : "+";
  return ["-e", `inject=${named(calls[call])}:${effect}:when=${n}${last}`];
}

/** With a mark at each that a machine may do without. */
function named(names: readonly string[]): string {
  return names.map((name) => `?${name}`).join(",");
}

/** Which of these lines are calls of this sort. */
export function callsIn(lines: readonly string[], call: Call): readonly string[] {
  return lines.filter((line) => new RegExp(`^(?:\\d+ +)?(?:${calls[call].join("|")})\\(`).test(line));
}

/** Watches a program that runs, from now on. Undefined where this is not possible: strace has ended. */
export async function watch(
  t: Pick<TestContext, "after">,
  pid: number,
  files: readonly string[],
  fault?: Fault,
): Promise<Watch | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "crm-strace-"));
  const log = join(folder, "log");
  const tracer = spawn("strace", ["-s", "0", "-o", log, "-p", String(pid), ...watching(files, fault)]);
  const closed = new Promise<false>((resolve) => tracer.once("close", () => resolve(false)));
  tracer.once("error", () => {});
  t.after(() => {
    tracer.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  if (!(await Promise.race([attached(tracer), closed]))) return undefined;
  return {
    async end(hasEnded) {
      // Told to let go of a program that is just ending, strace may wait for it for ever.
      if (!hasEnded) tracer.kill("SIGTERM");
      const patience = setTimeout(() => tracer.kill("SIGKILL"), 30_000);
      await closed;
      clearTimeout(patience);
      return readFileSync(log, "utf8").split("\n");
    },
  };
}

function attached({ stderr }: ChildProcessWithoutNullStreams): Promise<true> {
  let said = "";
  return new Promise((resolve) => {
    stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (/ attached/.test(said)) resolve(true);
    });
  });
}

/** Why nobody can be watched here, where that is so. */
export async function whyUnwatched(t: Pick<TestContext, "after">): Promise<string | undefined> {
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  t.after(() => child.kill("SIGKILL"));
  await once(child, "spawn");
  const tried = await watch(t, child.pid ?? 0, ["/dev/null"]);
  await tried?.end(false);
  return tried === undefined ? "strace is not here, or may not watch other programs (ptrace)" : undefined;
}
