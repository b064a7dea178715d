import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { nodeOptions } from "../../../bin/cli/child-process.ts";

/** A program that responds to each line on stdin with a line. It ends with the test. */
export type LineProgram = {
  readonly child: ChildProcess;
  readonly firstLine: string;
  send(line: string): Promise<string>;
};

/** Starts a program of test/prove with the options of the binary, and waits for its first line. */
export async function startLineProgram(t: TestContext, program: string, ...args: string[]): Promise<LineProgram> {
  const path = `test/prove/${program}`;
  const child = spawn(process.execPath, ["--expose-gc", ...nodeOptions, "--import", "tsx", path, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`${program} ended without a response`);
    return value;
  };
  const firstLine = await next();
  const send = async (line: string): Promise<string> => {
    child.stdin.write(`${line}\n`);
    return next();
  };
  return { child, firstLine, send };
}

/** Closes stdin, which ends the program. Returns its exit code. */
export async function stopLineProgram({ child }: LineProgram): Promise<number | null> {
  const closed = once(child, "close");
  child.stdin?.end();
  await closed;
  return child.exitCode;
}
