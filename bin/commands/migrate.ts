import { migrateDatabase, schemaVersions } from "#lib/sqlite";
import { command } from "../cli/command.ts";
import { booleanSetting } from "../cli/setting.ts";
import { databaseFile } from "../database/data-folder.ts";
import { databaseSettings, folderOf } from "../database/database.ts";
import { describeMigration } from "../database/migration-notice.ts";

/** What PostgreSQL has in its place. */
const inPostgres =
  "Its schema is brought up to date by the first server of a new version that starts; back it up before.";

export const migrateCommand = command({
  name: "migrate",
  summary: "Bring the database to this version's schema",
  details: "serve does the same when it starts. A copy of it as it was is kept beside it.",
  settings: {
    ...databaseSettings,
    dryRun: booleanSetting("only say what would be done"),
    json: booleanSetting("as JSON: database, from, to, backup"),
  },
  examples: ["crm-integrations migrate --dry-run", "crm-integrations migrate --data /var/lib/crm"],
  async run({ dryRun, json, ...place }) {
    const file = databaseFile(folderOf(place, inPostgres));
    const { found, known } = schemaVersions({ file });
    const migrated = dryRun ? undefined : migrateDatabase({ file });
    const would = `${file} has schema ${found}; serve or migrate would copy it and bring it to ${known}.`;
    const nothing = `${file} has schema ${known}, the one of this version: nothing to do.`;
    const text = migrated !== undefined ? describeMigration(migrated) : found < known ? would : nothing;
    const answer = { database: file, from: found, to: known, backup: migrated?.backup ?? null };
    process.stdout.write(`${json ? JSON.stringify(answer) : text}\n`);
  },
});
