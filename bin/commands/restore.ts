import { statSync } from "node:fs";
import { restoreDatabase } from "#lib/sqlite";
import { command } from "../cli/command.ts";
import { UsageError } from "../cli/errors.ts";
import { booleanSetting } from "../cli/setting.ts";
import { databaseFile } from "../database/data-folder.ts";
import { databaseSettings, requireDataFolder } from "../database/database.ts";

const postgresHint = "Stop the servers and use pg_restore with an empty database.";

export const restoreCommand = command({
  name: "restore",
  summary: "Replace the database with a backup",
  details: "Stop the server first. The current database file is renamed, not deleted.",
  operands: "<FILE>",
  settings: {
    ...databaseSettings,
    json: booleanSetting("print JSON: database, backup, previousFile, schema"),
  },
  examples: [
    "crm-integrations restore /mnt/backups/crm-2026-11-21T03-00-00-000Z.db",
    "crm-integrations restore old-machine.db --data /var/lib/crm",
  ],
  async run({ json, ...database }, [backup = ""], { stdout }) {
    const file = databaseFile(requireDataFolder(database, postgresHint));
    if (statSync(backup, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`${backup} is a folder. Specify a backup file.`);
    const { from, to, previousFile } = restoreDatabase({ file, backup });
    if (json) {
      stdout.write(
        `${JSON.stringify({ database: file, backup, previousFile: previousFile ?? null, schema: { from, to } })}\n`,
      );
      return;
    }
    const lines = [
      `Restored ${file} from ${backup}.`,
      ...(previousFile === undefined ? [] : [`The previous database file is now ${previousFile}.`]),
      ...(from === to ? [] : [`Migrated from schema ${from} to ${to}.`]),
      "Existing cursors are no longer valid (400 invalid_cursor). Clients must restart pagination.",
    ];
    stdout.write(`${lines.join("\n")}\n`);
  },
});
