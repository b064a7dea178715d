/** Exits after stdout failed. Prints the error code, except for EPIPE: the reader has closed the pipe on purpose. */
export function exitOnOutputError(error: unknown): never {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EPIPE") process.exit(process.exitCode ?? 0);
  process.stderr.write(`crm-integrations: Cannot write to stdout: ${code}.\n`);
  process.exit(1);
}

let outputError: Error | undefined;

/** Returns true if this is the error that stdout emitted. */
export function isOutputError(error: unknown): boolean {
  return error !== undefined && error === outputError;
}

/** Exits on an error of stdout, unless the command listens for it as well. */
export function handleOutputErrors(): void {
  process.stdout.on("error", (error) => {
    outputError = error;
    if (process.stdout.listenerCount("error") === 1) exitOnOutputError(error);
  });
}

/** Prints text that can't be shown again. Returns the error code if stdout failed. */
export function tryPrint(text: string): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const ignore = (): void => {};
  process.stdout.on("error", ignore).write(text, (error) => {
    if (error) return resolve(String((error as NodeJS.ErrnoException).code));
    process.stdout.off("error", ignore);
    resolve(undefined);
  });
  return promise;
}
