import type { Writable } from "node:stream";
import type { ProgramProcess } from "./program-process.ts";

/**
 * Ends the program on an error of stdout, unless the command listens for it as well. Returns a function that returns
 * whether an error is the one that stdout emitted.
 */
export function watchOutput(program: ProgramProcess): (error: unknown) => boolean {
  const { stdout, stderr } = program;
  let outputError: Error | undefined;
  stdout.on("error", (error) => {
    // A file reports an error for each write.
    if (outputError !== undefined) return;
    outputError = error;
    if (stdout.listenerCount("error") === 1) program.exit(reportOutputError(error, stderr));
  });
  return (error) => error !== undefined && error === outputError;
}

/** Prints the error code, except for EPIPE: the reader has closed the pipe on purpose. Returns the exit code. */
export function reportOutputError(error: unknown, stderr: Writable): number {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EPIPE") return 0;
  stderr.write(`crm-integrations: Cannot write to stdout: ${code}.\n`);
  return 1;
}

/** Prints text that can't be shown again. Returns the error code if stdout failed. */
export function tryPrint(stdout: Writable, text: string): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const ignore = (): void => {};
  stdout.on("error", ignore).write(text, (error) => {
    if (error) return resolve(String((error as NodeJS.ErrnoException).code));
    stdout.off("error", ignore);
    resolve(undefined);
  });
  return promise;
}
