import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** The system calls for faults, by the names that different Linux systems use. */
const calls = { write: ["pwrite64"], cut: ["ftruncate"], sync: ["fsync"], link: ["link", "linkat"] } as const;
export type Call = keyof typeof calls;

/** The effect on the nth call: it kills the program or fails, and so do some or all of the calls after it. */
export type Fault = {
  readonly call: Call;
  readonly effect: "SIGKILL" | "EIO" | "ENOSPC";
  readonly n: number;
  readonly times?: number;
};

/** A traced program. */
export type Watch = {
  /** Detaches, unless the program has ended, and returns the trace: a line for each call. */
  end(hasEnded: boolean): Promise<readonly string[]>;
};

/**
 * Returns the command that traces a program from its start, with the first bytes of what it writes to these files, or
 * to all. A fault can be injected.
 */
export function strace(log: string, files: readonly string[], bytes: number, fault?: Fault): readonly string[] {
  // seccomp stops the program only at these calls, which is fast. But a call with an injected signal then survives.
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

/** With a mark at each call that some systems don't have. */
function named(names: readonly string[]): string {
  return names.map((name) => `?${name}`).join(",");
}

/** Returns the lines with calls of this kind. */
export function callsIn(lines: readonly string[], call: Call): readonly string[] {
  return lines.filter((line) => new RegExp(`^(?:\\d+ +)?(?:${calls[call].join("|")})\\(`).test(line));
}

/** Traces a running program. Returns undefined if strace can't. */
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
      // strace can wait forever if it detaches from a program that is ending.
      if (!hasEnded) tracer.kill("SIGTERM");
      const killTimer = setTimeout(() => tracer.kill("SIGKILL"), 30_000);
      await closed;
      clearTimeout(killTimer);
      return readFileSync(log, "utf8").split("\n");
    },
  };
}

function attached({ stderr }: ChildProcessWithoutNullStreams): Promise<true> {
  let output = "";
  return new Promise((resolve) => {
    stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (/ attached/.test(output)) resolve(true);
    });
  });
}

/** Returns why strace can't be used here, undefined if it can. */
export async function whyUnwatched(t: Pick<TestContext, "after">): Promise<string | undefined> {
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  t.after(() => child.kill("SIGKILL"));
  await once(child, "spawn");
  const tried = await watch(t, child.pid ?? 0, ["/dev/null"]);
  await tried?.end(false);
  return tried === undefined ? "strace is not here, or may not watch other programs (ptrace)" : undefined;
}
