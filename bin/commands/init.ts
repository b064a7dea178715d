import { createInterface } from "node:readline/promises";
import { systemClock, uuidV7 } from "#lib";
import { checkTenantFile, loadTenantFile } from "#lib/tenant-file";
import { command } from "../cli/command.ts";
import { printOnce } from "../cli/output.ts";
import { booleanSetting, stringSetting } from "../cli/setting.ts";
import { Failure, UsageError } from "../cli/usage.ts";
import { adminAuthOf } from "../database/data-folder.ts";
import { databaseSettings, openStorage } from "../database/database.ts";
import { newTenantFile } from "../tenants/new-tenant.ts";

const questions = {
  tenantName: "Name of the tenant (your company)",
  adminName: "Name of its administrator",
  adminEmail: "E-mail address of the administrator",
} as const;

export const initCommand = command({
  name: "init",
  summary:
    "Make a tenant with an administrator, a pipeline and a first API key; asks on a terminal for what is not said",
  settings: {
    ...databaseSettings,
    tenantName: stringSetting("NAME", "the tenant's name"),
    adminName: stringSetting("NAME", "the administrator's name"),
    adminEmail: stringSetting("EMAIL", "the administrator's e-mail address"),
    json: booleanSetting("as JSON: tenantId, adminEmail, key, database"),
  },
  examples: [
    "crm-integrations init",
    "crm-integrations init --tenant-name Acme --admin-name 'Ana Silva' --admin-email ana@acme.example --json",
  ],
  async run({ data, database, json, ...said }) {
    const answers = await answered(said);
    const content = newTenantFile({ ...answers, name: answers.tenantName });
    const tools = { clock: systemClock, newId: () => uuidV7(Date.now()) };
    // For answers that are wrong no database is made.
    await checkTenantFile(undefined, content, tools);
    const { storage, name, folder, flag: place, isNew } = await openStorage({ data, database }, { make: true });
    const { tenantId, keys } = await loadTenantFile(storage, content, tools).finally(() => storage.close());
    if (folder !== undefined) adminAuthOf(folder);
    const key = keys[0]?.key;
    const made = { tenantId, adminEmail: answers.adminEmail, key, database: name };
    const lines = [
      `${isNew ? "Made" : "Added to"} the database ${name}`,
      `  tenant  ${answers.tenantName} (${tenantId})`,
      `  API key ${key}`,
      "          (shown this once; keep it safe)",
      "",
      `Serve it:                 crm-integrations serve ${place}`,
      `An administrator's token: crm-integrations token ${place} --tenant ${tenantId} --user ${answers.adminEmail}`,
    ];
    const lost = await printOnce(`${json ? JSON.stringify(made) : lines.join("\n")}\n`);
    if (lost === undefined) return;
    const way = `Make another: crm-integrations key create ${place} --tenant ${tenantId}`;
    throw new Failure(`The tenant ${tenantId} was made, but its key could not be shown (${lost}). ${way}`);
  },
});

/** The exit code of what Ctrl-C ended. */
const interrupted = 130;

type Answers = Record<keyof typeof questions, string>;

/** What was not said is asked for, on a terminal only: a script is told what it left out. */
async function answered(said: { readonly [K in keyof Answers]: string | undefined }): Promise<Answers> {
  const names = Object.keys(questions) as (keyof Answers)[];
  const lacking = names.filter((name) => said[name] === undefined);
  if (lacking.length === 0) return said as Answers;
  if (!process.stdin.isTTY) {
    throw new UsageError(
      "init needs --tenant-name, --admin-name and --admin-email where there is no terminal to ask on.",
    );
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answers: Record<string, string | undefined> = { ...said };
  try {
    for (const name of lacking) answers[name] = await terminal.question(`${questions[name]}: `);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ABORT_ERR") throw error;
    process.stderr.write("\ncrm-integrations: Nothing was made.\n");
    process.exit(interrupted);
  } finally {
    terminal.close();
  }
  return answers as Answers;
}
