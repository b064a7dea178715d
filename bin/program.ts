import { StorageUnavailable } from "#lib";
import { DatabaseError } from "#lib/sqlite";
import { TenantFileError } from "#lib/tenant-file";
import { MappingError, TransferError } from "#lib/transfer";
import { runProgram } from "./cli/command.ts";
import { Failure, Interrupted, UsageError } from "./cli/errors.ts";
import { reportOutputError, watchOutput } from "./cli/output-errors.ts";
import type { ProgramProcess } from "./cli/program-process.ts";
import { version } from "./cli/version.ts";
import { commands } from "./commands/index.ts";

const info = {
  name: "crm-integrations",
  summary: "The HTTP API of a CRM: accounts, contacts, opportunities, tasks and notes, for many tenants.",
  version,
  epilogue: `Every option can also be set by a variable (--rate-limit: CRM_RATE_LIMIT) or in crm.json (rateLimit). "config" shows
the effective values. Exit codes: 0 success, 1 failure, 2 invalid usage.`,
};

/**
 * Runs the command in the arguments. Prints an error to stderr. Returns the exit code: 0, 1, 2 for invalid usage, or
 * 130 after Ctrl-C.
 */
export async function main(args: readonly string[], program: ProgramProcess): Promise<number> {
  const isOutputError = watchOutput(program);
  try {
    await runProgram(info, commands, args, program);
    return 0;
  } catch (error) {
    if (isOutputError(error)) return reportOutputError(error, program.stderr);
    const isUsage = error instanceof UsageError || error instanceof MappingError;
    const hint = isUsage ? `Try: crm-integrations ${selectedCommand(args)}--help\n` : "";
    program.stderr.write(`crm-integrations: ${describeError(error)}\n${hint}`);
    return isUsage ? 2 : error instanceof Interrupted ? 130 : 1;
  }
}

/** Returns the message of an expected error, or the stack. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isExpected = [UsageError, Failure, DatabaseError, StorageUnavailable, TenantFileError, TransferError].some(
    (type) => error instanceof type,
  );
  // Errors such as a port in use have a message that needs no stack.
  return isExpected || "syscall" in error ? error.message : (error.stack ?? error.message);
}

/** Returns the name of the command or the group in the arguments and a space, or an empty text. */
function selectedCommand([first = "", second = ""]: readonly string[]): string {
  const names = commands.flatMap(({ name }) => [name, name.split(" ")[0] ?? name]);
  const found = [`${first} ${second}`, first].find((name) => names.includes(name));
  return found === undefined ? "" : `${found} `;
}
