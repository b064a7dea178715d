import { createInterface } from "node:readline/promises";
import { systemClock, uuidV7 } from "#lib";
import { loadTenantFile } from "#lib/tenant-file";
import { command, type ProgramCommand } from "../cli/command.ts";
import { Failure, Interrupted, UsageError } from "../cli/errors.ts";
import { tryPrint } from "../cli/output-errors.ts";
import type { ProgramProcess } from "../cli/program-process.ts";
import { booleanSetting, flagOf, stringSetting } from "../cli/setting.ts";
import { folderAdminAuth } from "../database/data-folder.ts";
import { databaseSettings, openDatabase } from "../database/database.ts";
import { assertNewTenant, newTenantFile } from "../tenants/new-tenant.ts";

const questions = {
  tenantName: "Name of the tenant (your company)",
  adminName: "Name of the admin",
  adminEmail: "Email address of the admin",
} as const;

/** The options that fill the fields, for messages. */
const flags = {
  tenantName: flagOf("tenantName"),
  adminName: flagOf("adminName"),
  adminEmail: flagOf("adminEmail"),
} as const;

export const initCommand = creationCommand(
  "init",
  "Create the database with a first tenant; prompts for missing values",
);
export const tenantCreateCommand = creationCommand(
  "tenant create",
  "Create a tenant with an admin, a pipeline and an API key; prompts for missing values",
);

/** Defines a command that creates a tenant, and the database if there is none. */
function creationCommand(name: string, summary: string): ProgramCommand {
  return command({
    name,
    summary,
    settings: {
      ...databaseSettings,
      tenantName: stringSetting("NAME", "name of the tenant"),
      adminName: stringSetting("NAME", "name of the admin"),
      adminEmail: stringSetting("EMAIL", "email address of the admin"),
      json: booleanSetting("print JSON: tenantId, adminEmail, key, database"),
    },
    examples: [
      `crm-integrations ${name}`,
      `crm-integrations ${name} --tenant-name Acme --admin-name 'Ana Silva' --admin-email ana@acme.example --json`,
    ],
    async run({ data, database, json, ...given }, _operands, program) {
      const input = await promptForMissing(program, name, given);
      const content = newTenantFile({ ...input, name: input.tenantName });
      const tools = { clock: systemClock, newId: () => uuidV7(Date.now()) };
      // Invalid input must not create a database.
      await assertNewTenant(content, flags);
      const {
        storage,
        name: databaseName,
        folder,
        flag,
        isNew,
      } = await openDatabase({ data, database }, program, { create: true });
      const { tenantId, keys } = await loadTenantFile(storage, content, tools).finally(() => storage.close());
      if (folder !== undefined) folderAdminAuth(folder);
      const key = keys[0]?.key;
      const result = { tenantId, adminEmail: input.adminEmail, key, database: databaseName };
      const lines = [
        `${isNew ? "Created" : "Added a tenant to"} the database ${databaseName}`,
        `  tenant  ${input.tenantName} (${tenantId})`,
        `  API key ${key}`,
        "          (not shown again; store it safely)",
        "",
        `Start the server:      crm-integrations serve ${flag}`,
        `Create an admin token: crm-integrations token ${flag} --tenant ${tenantId} --user ${input.adminEmail}`,
      ];
      const errorCode = await tryPrint(program.stdout, `${json ? JSON.stringify(result) : lines.join("\n")}\n`);
      if (errorCode === undefined) return;
      const remedy = `Create another: crm-integrations key create ${flag} --tenant ${tenantId}`;
      throw new Failure(
        `The tenant ${tenantId} was created, but its API key can't be printed (${errorCode}). ${remedy}`,
      );
    },
  });
}

type Input = Record<keyof typeof questions, string>;

/** Prompts for missing values. @throws UsageError if there is no terminal */
async function promptForMissing(
  { stdin, stderr }: ProgramProcess,
  command: string,
  given: { readonly [K in keyof Input]: string | undefined },
): Promise<Input> {
  const names = Object.keys(questions) as (keyof Input)[];
  const missing = names.filter((name) => given[name] === undefined);
  if (missing.length === 0) return given as Input;
  if (!stdin.isTTY) {
    throw new UsageError(`${command} requires --tenant-name, --admin-name and --admin-email if there is no terminal.`);
  }
  const terminal = createInterface({ input: stdin, output: stderr });
  const input: Record<string, string | undefined> = { ...given };
  try {
    for (const name of missing) input[name] = await terminal.question(`${questions[name]}: `);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ABORT_ERR") throw error;
    stderr.write("\n");
    throw new Interrupted("Canceled. Nothing was created.");
  } finally {
    terminal.close();
  }
  return input as Input;
}
