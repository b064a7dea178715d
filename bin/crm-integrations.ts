#!/usr/bin/env node
import { parseArgs } from "node:util";
import { DatabaseRefused } from "../lib/sqlite/index.ts";
import { TenantFileRefused } from "../lib/tenant-file/index.ts";
import { serveCommand, serveOptions } from "./serve.ts";

const help = `crm-integrations: the HTTP API of a CRM

  crm-integrations serve [options]

    --data DIR            keep the database in this folder (default: crm-data; made if missing)
    --listen HOST:PORT    where to listen (default: 127.0.0.1:8080); port 0 picks a free one
    --fixtures FILE ...   load tenant files; "demo" names one that comes along. A tenant that
                          is there already is left as it is. Without --data: in memory
    --json                the first line on stdout is JSON: url, baseUrl, keys, pid

  Exit codes: 0 stopped as asked, 1 failed, 2 wrong use.
`;

/** A call that the program does not understand. */
class UsageError extends Error {}

async function main(args: readonly string[]): Promise<void> {
  const [command, ...rest] = args;
  if (command === undefined || command === "help" || args.includes("--help")) {
    process.stdout.write(help);
    return;
  }
  if (command !== "serve") throw new UsageError(`There is no command "${command}".`);
  await serveCommand(parse(rest));
}

function parse(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: serveOptions, allowPositionals: true });
    if (positionals.length > 0 && values.fixtures === undefined)
      throw new UsageError(`What is "${positionals[0]}" for?`);
    return { ...values, fixtures: [...(values.fixtures ?? []), ...positionals] };
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(error.message) : error;
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const usage = error instanceof UsageError;
  const told = usage || error instanceof DatabaseRefused || error instanceof TenantFileRefused;
  const text = told ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`crm-integrations: ${text}\n${usage ? "Try: crm-integrations --help\n" : ""}`);
  process.exit(usage ? 2 : 1);
});
