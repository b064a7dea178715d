#!/usr/bin/env node
import { parseArgs } from "node:util";
import { openApiJson } from "../lib/index.ts";
import { DatabaseRefused } from "../lib/sqlite/index.ts";
import { TenantFileRefused } from "../lib/tenant-file/index.ts";
import { serveCommand, serveOptions } from "./serve.ts";
import { tokenCommand, tokenOptions } from "./token.ts";
import { Failure, UsageError } from "./usage.ts";

const help = `crm-integrations: the HTTP API of a CRM

  crm-integrations serve [options]

    --data DIR            keep the database in this folder (default: crm-data; made if missing)
    --listen HOST:PORT    where to listen (default: 127.0.0.1:8080); port 0 picks a free one
    --fixtures FILE ...   load tenant files; "demo" names one that comes along. A tenant that
                          is there already is left as it is. Without --data: in memory
    --rate-limit N        accept N requests a minute per key (default: 300), and a fifth as many
                          failed authentications per address
    --json                the first line on stdout is JSON: url, baseUrl, keys, pid

  crm-integrations token --tenant ID --user EMAIL [--data DIR]

    prints an administrator's token of 30 minutes for the database in that folder

  crm-integrations openapi

    prints the description of the API (OpenAPI 3.1, JSON)

  Exit codes: 0 stopped as asked, 1 failed, 2 wrong use.
`;

async function main(args: readonly string[]): Promise<void> {
  const [command, ...rest] = args;
  if (command === undefined || command === "help" || args.includes("--help")) {
    process.stdout.write(help);
  } else if (command === "serve") {
    const { values, positionals } = parsed(() =>
      parseArgs({ args: rest, options: serveOptions, allowPositionals: true }),
    );
    if (positionals.length > 0 && values.fixtures === undefined)
      throw new UsageError(`What is "${positionals[0]}" for?`);
    await serveCommand({ ...values, fixtures: [...(values.fixtures ?? []), ...positionals] });
  } else if (command === "token") {
    await tokenCommand(parsed(() => parseArgs({ args: rest, options: tokenOptions })).values);
  } else if (command === "openapi") {
    parsed(() => parseArgs({ args: rest, options: {} }));
    // Whoever reads only the beginning has what they wanted.
    process.stdout.once("error", () => process.exit(0));
    process.stdout.write(`${JSON.stringify(JSON.parse(openApiJson()), null, 2)}\n`);
  } else {
    throw new UsageError(`There is no command "${command}".`);
  }
}

/** What the parser refuses is wrong use. */
function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(error.message) : error;
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const usage = error instanceof UsageError;
  const told = [UsageError, Failure, DatabaseRefused, TenantFileRefused].some((kind) => error instanceof kind);
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const text = told || isPlaceFault(error) ? (error as Error).message : stack;
  process.stderr.write(`crm-integrations: ${text}\n${usage ? "Try: crm-integrations --help\n" : ""}`);
  process.exit(usage ? 2 : 1);
});

/** A port in use, a folder that may not be written: the system's own words say it. */
function isPlaceFault(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
