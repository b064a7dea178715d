import { type CheckResult, failed } from "../check/check-result.ts";
import { checkDataFolder } from "../check/data-folder.ts";
import { checkPostgres } from "../check/postgres.ts";
import { checkDatabaseFile } from "../check/sqlite.ts";
import { checkTestKeys } from "../check/test-keys.ts";
import { command } from "../cli/command.ts";
import { Failure } from "../cli/errors.ts";
import { booleanSetting } from "../cli/setting.ts";
import { databaseFile, defaultData, pathExists } from "../database/data-folder.ts";
import { assertNoDataFolder, type DatabaseValues, databaseSettings } from "../database/database.ts";

export const checkCommand = command({
  name: "check",
  summary: "Check the database, its folder and this machine (read-only)",
  details: "The server can be running or stopped.",
  settings: {
    ...databaseSettings,
    full: booleanSetting("check every page and index; takes as long as a backup"),
    json: booleanSetting("print JSON: ok, findings (name, state, message)"),
  },
  examples: ["crm-integrations check", "crm-integrations check --full --data /var/lib/crm --json"],
  async run({ full, json, ...database }, _operands, { stdout }) {
    const findings = await runChecks(database, full);
    const failures = findings.filter(({ state }) => state === "failed").length;
    if (json) stdout.write(`${JSON.stringify({ ok: failures === 0, findings }, null, 2)}\n`);
    else stdout.write(`${findings.map(formatLine).join("\n")}\n`);
    if (failures > 0) throw new Failure(`${failures} of ${findings.length} checks failed.`);
  },
});

async function runChecks({ data: folder, database }: DatabaseValues, full: boolean): Promise<readonly CheckResult[]> {
  if (database !== undefined) {
    assertNoDataFolder(folder);
    const findings = await checkPostgres(database);
    // Reading the API keys of an older schema would migrate it.
    const isCurrent = findings.some(({ name, state }) => name === "schema" && state === "ok");
    return [...findings, ...(isCurrent ? await checkTestKeys({ database }, "--database URL", Date.now()) : [])];
  }
  const data = folder ?? defaultData;
  const file = databaseFile(data);
  const reason = missingReason(file);
  if (reason !== undefined) return [failed("database", reason)];
  const now = Date.now();
  const found = checkDatabaseFile(file, full, now);
  const isReadable = found.every(({ state }) => state !== "failed");
  const keys = isReadable ? await checkTestKeys({ data }, `--data ${data}`, now) : [];
  return [...found, ...keys, ...checkDataFolder(data, now)];
}

/** Returns why the database can't be checked, or undefined if it exists. */
function missingReason(file: string): string | undefined {
  try {
    if (pathExists(file)) return undefined;
    return `No database at ${file}. Select another folder with --data, or create one with init or restore.`;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

function formatLine({ name, state, message }: CheckResult): string {
  return `${state.padEnd(7)}  ${name.padEnd(12)}  ${message}`;
}
