import { statSync } from "node:fs";
import { restoreDatabase } from "#lib/sqlite";
import { command } from "../cli/command.ts";
import { booleanSetting } from "../cli/setting.ts";
import { UsageError } from "../cli/usage.ts";
import { databaseFile } from "../database/data-folder.ts";
import { databaseSettings, folderOf } from "../database/database.ts";

/** What PostgreSQL has in its place. */
const inPostgres = "Put a dump of pg_dump back with pg_restore, into an empty database, while no server uses it.";

export const restoreCommand = command({
  name: "restore",
  summary: "Put a backup in the place of the database",
  details: "Nobody may be serving it meanwhile. What was there is kept beside it.",
  operands: "<FILE>",
  settings: {
    ...databaseSettings,
    json: booleanSetting("as JSON: database, backup, previousFile, schema"),
  },
  examples: [
    "crm-integrations restore /mnt/backups/crm-2026-11-21T03-00-00-000Z.db",
    "crm-integrations restore old-machine.db --data /var/lib/crm",
  ],
  async run({ json, ...place }, [backup = ""]) {
    const file = databaseFile(folderOf(place, inPostgres));
    if (statSync(backup, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`${backup} is a folder. Name the backup in it.`);
    const { from, to, previousFile } = restoreDatabase({ file, backup });
    if (json) {
      process.stdout.write(
        `${JSON.stringify({ database: file, backup, previousFile: previousFile ?? null, schema: { from, to } })}\n`,
      );
      return;
    }
    const lines = [
      `Restored ${file} from ${backup}.`,
      ...(previousFile === undefined ? [] : [`What was there is kept in ${previousFile}.`]),
      ...(from === to ? [] : [`It was brought from schema ${from} to ${to}.`]),
      "Cursors given out before are refused (400 invalid_cursor): syncs begin their walk anew.",
    ];
    process.stdout.write(`${lines.join("\n")}\n`);
  },
});
