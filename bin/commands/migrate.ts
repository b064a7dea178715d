import { migrateDatabase, readSchemaVersions } from "#lib/sqlite";
import { command } from "../cli/command.ts";
import { booleanSetting } from "../cli/setting.ts";
import { databaseFile } from "../database/data-folder.ts";
import { databaseSettings, describeMigration, requireDataFolder } from "../database/database.ts";

const postgresHint =
  "The first server of a new version migrates the schema when it starts. Back up the database first.";

export const migrateCommand = command({
  name: "migrate",
  summary: "Migrate the database to the schema of this version",
  details: "serve migrates automatically at startup. A backup is written next to the database first.",
  settings: {
    ...databaseSettings,
    dryRun: booleanSetting("report the migration without running it"),
    json: booleanSetting("print JSON: database, from, to, backup"),
  },
  examples: ["crm-integrations migrate --dry-run", "crm-integrations migrate --data /var/lib/crm"],
  async run({ dryRun, json, ...databaseValues }, _operands, { stdout }) {
    const file = databaseFile(requireDataFolder(databaseValues, postgresHint));
    const { found, known } = readSchemaVersions({ file });
    const migration = dryRun ? undefined : migrateDatabase({ file });
    const pending = `${file} has schema ${found}. migrate or serve will back it up and migrate it to ${known}.`;
    const current = `${file} has the current schema (${known}).`;
    const text = migration !== undefined ? describeMigration(migration) : found < known ? pending : current;
    const result = { database: file, from: found, to: known, backup: migration?.backup ?? null };
    stdout.write(`${json ? JSON.stringify(result) : text}\n`);
  },
});
