import { StorageUnavailable } from "#lib";
import { DatabaseError } from "#lib/sqlite";
import { TenantFileError } from "#lib/tenant-file";
import { runProgram } from "./cli/command.ts";
import { Failure, UsageError } from "./cli/errors.ts";
import { exitOnOutputError, handleOutputErrors, isOutputError } from "./cli/output-errors.ts";
import { version } from "./cli/version.ts";
import { commands } from "./commands/index.ts";

const program = {
  name: "crm-integrations",
  summary: "The HTTP API of a CRM: accounts, contacts, opportunities and tasks, for many tenants.",
  version,
  epilogue: `Every option can also be set by a variable (--rate-limit: CRM_RATE_LIMIT) or in crm.json (rateLimit). "config" shows
the effective values. Exit codes: 0 success, 1 failure, 2 invalid usage.`,
};

// The keys that verify admin tokens are fetched over HTTPS, so certificates must be checked.
if (process.env.NODE_TLS_REJECT_UNAUTHORIZED === "0") {
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.stderr.write(
    "crm-integrations: NODE_TLS_REJECT_UNAUTHORIZED is ignored. To add certificate authorities, set NODE_EXTRA_CA_CERTS=FILE.\n",
  );
}

process.title = "crm-integrations";
handleOutputErrors();

runProgram(program, commands, process.argv.slice(2)).catch((error: unknown) => {
  if (isOutputError(error)) exitOnOutputError(error);
  const usage = error instanceof UsageError;
  const isExpected = [UsageError, Failure, DatabaseError, StorageUnavailable, TenantFileError].some(
    (type) => error instanceof type,
  );
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const text = isExpected || isSystemError(error) ? (error as Error).message : stack;
  process.stderr.write(
    `crm-integrations: ${text}\n${usage ? `Try: crm-integrations ${selectedCommand()}--help\n` : ""}`,
  );
  process.exit(usage ? 2 : 1);
});

/** Returns the name of the command or the group in the arguments and a space, or an empty text. */
function selectedCommand(): string {
  const [first = "", second = ""] = process.argv.slice(2);
  const names = commands.flatMap(({ name }) => [name, name.split(" ")[0] ?? name]);
  const found = [`${first} ${second}`, first].find((name) => names.includes(name));
  return found === undefined ? "" : `${found} `;
}

/** Returns true for errors such as a port in use, whose message needs no stack. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
