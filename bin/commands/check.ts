import { type CheckResult, failed } from "../check/check-result.ts";
import { checkDataFolder } from "../check/data-folder.ts";
import { checkDatabaseFile } from "../check/database.ts";
import { checkPostgres } from "../check/postgres.ts";
import { testKeyFindings } from "../check/test-keys.ts";
import { command } from "../cli/command.ts";
import { booleanSetting } from "../cli/setting.ts";
import { Failure } from "../cli/usage.ts";
import { databaseFile, dataDefault, isThere } from "../database/data-folder.ts";
import { assertOne, type DatabaseValues, databaseSettings } from "../database/database.ts";

export const checkCommand = command({
  name: "check",
  summary: "Look whether all is well, and change nothing",
  details: "The database, its folder and this machine are looked at, whether it is served or not.",
  settings: {
    ...databaseSettings,
    full: booleanSetting("read all of it, the indexes too; as long as a backup takes"),
    json: booleanSetting("as JSON: ok, findings (name, state, message)"),
  },
  examples: ["crm-integrations check", "crm-integrations check --full --data /var/lib/crm --json"],
  async run({ full, json, ...place }) {
    const findings = await findingsOf(place, full);
    const bad = findings.filter(({ state }) => state === "failed").length;
    if (json) process.stdout.write(`${JSON.stringify({ ok: bad === 0, findings }, null, 2)}\n`);
    else process.stdout.write(`${findings.map(lineOf).join("\n")}\n`);
    if (bad > 0) throw new Failure(`${bad} of ${findings.length} failed.`);
  },
});

async function findingsOf({ data: folder, database }: DatabaseValues, full: boolean): Promise<readonly CheckResult[]> {
  if (database !== undefined) {
    assertOne(folder);
    const findings = await checkPostgres(database);
    // To read the API keys of another schema would migrate it.
    const isCurrent = findings.some(({ name, state }) => name === "schema" && state === "ok");
    return [...findings, ...(isCurrent ? await testKeyFindings({ database }, "--database URL", Date.now()) : [])];
  }
  const data = folder ?? dataDefault;
  const file = databaseFile(data);
  const absent = absence(file);
  if (absent !== undefined) return [failed("database", absent)];
  const now = Date.now();
  const found = checkDatabaseFile(file, full, now);
  const isReadable = found.every(({ state }) => state !== "failed");
  const keys = isReadable ? await testKeyFindings({ data }, `--data ${data}`, now) : [];
  return [...found, ...keys, ...checkDataFolder(data, now)];
}

/** Why there is nothing to look at, if so. */
function absence(file: string): string | undefined {
  try {
    if (isThere(file)) return undefined;
    const way = "Name its folder with --data; serve and init make one, restore brings one back.";
    return `There is no database ${file}. ${way}`;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

function lineOf({ name, state, message }: CheckResult): string {
  return `${state.padEnd(7)}  ${name.padEnd(12)}  ${message}`;
}
