import { EventEmitter } from "node:events";
import { Readable, Writable } from "node:stream";
import type { ProgramProcess } from "../../bin/cli/program-process.ts";
import { main } from "../../bin/program.ts";
import { programCommand } from "./program.ts";

/** The exit code of the program, and its output. */
export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

type RunOptions = { readonly env?: NodeJS.ProcessEnv; readonly stdin?: string | Uint8Array };

/** Runs `crm-integrations` to its end in this process. Tests of signals, crashes and locks start a process instead. */
export function crmIntegrations(...args: readonly string[]): Promise<Ended> {
  return runProgram(args);
}

/** Runs `crm-integrations` to its end in this process, with these variables or this input. */
export async function runProgram(
  args: readonly string[],
  { env = process.env, stdin = "" }: RunOptions = {},
): Promise<Ended> {
  const [stdout, stderr] = [new CollectedOutput(), new CollectedOutput()];
  const { promise: exited, resolve: exit } = Promise.withResolvers<number>();
  const [execPath, ...rest] = programCommand;
  const script = rest.at(-1) ?? "";
  const program: ProgramProcess = Object.assign(new EventEmitter(), {
    ...{ env, stdin: Readable.from([Buffer.from(stdin)]), stdout, stderr, exit },
    ...{ argv: [execPath, script], execPath, execArgv: rest.slice(0, -1) },
  });
  const code = await Promise.race([main(args, program), exited]);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** A stream that collects what is written to it. */
class CollectedOutput extends Writable {
  readonly #chunks: Buffer[] = [];

  get text(): string {
    return Buffer.concat(this.#chunks).toString();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }
}
