import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { nodeOptions } from "../../bin/cli/child-process.ts";

/** A program that answers each line with a line; it does not outlive the test. */
export type Talk = { readonly child: ChildProcess; readonly hello: string; ask(line: string): Promise<string> };

/** Starts a program of this folder, under Node as ours runs under it, and waits for its first line. */
export async function talk(t: TestContext, program: string, ...args: string[]): Promise<Talk> {
  const path = `test/prove/${program}`;
  const child = spawn(process.execPath, ["--expose-gc", ...nodeOptions, "--import", "tsx", path, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`${program} ended: it has nothing more to say`);
    return value;
  };
  const hello = await next();
  const ask = async (line: string): Promise<string> => {
    child.stdin.write(`${line}\n`);
    return next();
  };
  return { child, hello, ask };
}

/** Takes its lines away, which asks it to end, and answers with what exit code it did. */
export async function farewell({ child }: Talk): Promise<number | null> {
  const closed = once(child, "close");
  child.stdin?.end();
  await closed;
  return child.exitCode;
}
