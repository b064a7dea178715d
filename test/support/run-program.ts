import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { Readable, Writable } from "node:stream";
import type { ProgramProcess } from "../../bin/cli/program-process.ts";
import { main } from "../../bin/program.ts";
import { type Greeting, programCommand, quiet } from "./program.ts";

/** The exit code of the program, and its output. */
export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

type RunOptions = { readonly env?: NodeJS.ProcessEnv; readonly stdin?: string | Uint8Array };

/** A test, or all tests of a file. */
type Context = { after(cleanUp: () => Promise<unknown>): void };

/** A server in this process. */
export type ServedInProcess = {
  readonly greeting: Greeting;
  /** Stops the server as SIGTERM does. */
  stop(): Promise<Ended>;
};

/** Runs `crm-integrations` to its end in this process. Tests of signals, crashes and locks start a process instead. */
export function crmIntegrations(...args: readonly string[]): Promise<Ended> {
  return runProgram(args);
}

/** Runs `crm-integrations` to its end in this process, with these variables or this input. */
export function runProgram(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return startInProcess(args, options).ended;
}

/**
 * Starts the server with `--json` in this process, on a free port. Stops it when the test ends. The log isn't in its
 * output, because the server writes it to the descriptor of stderr.
 */
export async function serveInProcess(t: Context, ...args: string[]): Promise<ServedInProcess> {
  const options = ["serve", "--listen", "127.0.0.1:0", "--json", ...quiet, ...args];
  const { program, stdout, ended } = startInProcess(options);
  const stop = (): Promise<Ended> => {
    program.emit("SIGTERM");
    return ended;
  };
  t.after(stop);
  const failed = ended.then((result) => assert.fail(`serve ended with ${result.code}: ${result.stderr}`));
  failed.catch(() => {});
  const [line = ""] = (await Promise.race([stdout.waitFor(/\n/), failed])).split("\n");
  return { greeting: JSON.parse(line), stop };
}

function startInProcess(args: readonly string[], { env = process.env, stdin = "" }: RunOptions = {}) {
  const [stdout, stderr] = [new CollectedOutput(), new CollectedOutput()];
  const { promise: exited, resolve: exit } = Promise.withResolvers<number>();
  const [execPath, ...rest] = programCommand;
  const script = rest.at(-1) ?? "";
  const program: ProgramProcess & EventEmitter = Object.assign(new EventEmitter(), {
    ...{ env, stdin: Readable.from([Buffer.from(stdin)]), stdout, stderr, exit },
    ...{ argv: [execPath, script], execPath, execArgv: rest.slice(0, -1) },
  });
  const ended = Promise.race([main(args, program), exited]).then(
    (code): Ended => ({ code, stdout: stdout.text, stderr: stderr.text }),
  );
  return { program, stdout, ended };
}

/** A stream that collects what is written to it. */
class CollectedOutput extends Writable {
  readonly #chunks: Buffer[] = [];

  get text(): string {
    return Buffer.concat(this.#chunks).toString();
  }

  /** Resolves with the whole text when it matches. */
  async waitFor(what: RegExp): Promise<string> {
    while (!what.test(this.text)) await once(this, "collected");
    return this.text;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    this.emit("collected");
    done();
  }
}
