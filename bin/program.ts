import { StorageUnavailable } from "#lib";
import { DatabaseError } from "#lib/sqlite";
import { TenantFileError } from "#lib/tenant-file";
import { runProgram } from "./cli/command.ts";
import { exitOnOutputError, handleOutputErrors, isOutputFault } from "./cli/output.ts";
import { Failure, UsageError } from "./cli/usage.ts";
import { version } from "./cli/version.ts";
import { commands } from "./commands/index.ts";

const program = {
  name: "crm-integrations",
  summary: "The HTTP API of a CRM: accounts, contacts, opportunities and tasks, for many tenants.",
  version,
  epilogue: `Every option is also a variable (--rate-limit is CRM_RATE_LIMIT) and a key of crm.json (rateLimit); "config" shows
what holds and why. Exit codes: 0 done, 1 failed, 2 wrong use.`,
};

// Whoever signs administrators' tokens is asked for the keys by address: an answer must be from there.
if (process.env.NODE_TLS_REJECT_UNAUTHORIZED === "0") {
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.stderr.write(
    "crm-integrations: NODE_TLS_REJECT_UNAUTHORIZED is not heeded; NODE_EXTRA_CA_CERTS=FILE adds authorities.\n",
  );
}

handleOutputErrors();

runProgram(program, commands, process.argv.slice(2)).catch((error: unknown) => {
  if (isOutputFault(error)) exitOnOutputError(error);
  const usage = error instanceof UsageError;
  const told = [UsageError, Failure, DatabaseError, StorageUnavailable, TenantFileError].some(
    (kind) => error instanceof kind,
  );
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const text = told || isPlaceFault(error) ? (error as Error).message : stack;
  process.stderr.write(`crm-integrations: ${text}\n${usage ? "Try: crm-integrations --help\n" : ""}`);
  process.exit(usage ? 2 : 1);
});

/** A port in use, a folder that may not be written: the system's own words say it. */
function isPlaceFault(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
