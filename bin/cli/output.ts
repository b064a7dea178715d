/** Says in one line what stdout did not take, or nothing where its reader is gone, and ends the program. */
export function exitOnOutputError(error: unknown): never {
  const { code } = error as NodeJS.ErrnoException;
  // Whoever reads only the beginning has what they wanted.
  if (code === "EPIPE") process.exit(process.exitCode ?? 0);
  process.stderr.write(`crm-integrations: What is to be printed cannot be written: ${code}.\n`);
  process.exit(1);
}

let fault: Error | undefined;

/** Whether this error says that stdout took nothing. */
export function isOutputFault(error: unknown): boolean {
  return error !== undefined && error === fault;
}

/** Ends the program where stdout takes nothing more, unless a command has an ear of its own for that. */
export function handleOutputErrors(): void {
  process.stdout.on("error", (error) => {
    fault = error;
    if (process.stdout.listenerCount("error") === 1) exitOnOutputError(error);
  });
}

/** Prints what will not be shown again. Answers the code of the fault where it could not be written, else undefined. */
export function printOnce(text: string): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const listen = (): void => {};
  process.stdout.on("error", listen).write(text, (error) => {
    if (error) return resolve(String((error as NodeJS.ErrnoException).code));
    process.stdout.off("error", listen);
    resolve(undefined);
  });
  return promise;
}
