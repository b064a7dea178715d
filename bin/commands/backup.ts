import { statSync } from "node:fs";
import { join } from "node:path";
import { backupDatabase, mkdirPrivate } from "#lib/sqlite";
import { command } from "../cli/command.ts";
import { fileTimestamp, formatBytes } from "../cli/format.ts";
import { booleanSetting } from "../cli/setting.ts";
import { UsageError } from "../cli/usage.ts";
import { databaseFile } from "../database/data-folder.ts";
import { databaseSettings, folderOf } from "../database/database.ts";

/** What PostgreSQL has in its place. */
const inPostgres =
  'Copy it with its own tools, while it is served: pg_dump --format=custom --file crm.dump "$CRM_DATABASE"';

export const backupCommand = command({
  name: "backup",
  summary: "Copy the database, while it is served",
  details:
    "The copy goes to a file, or into a folder, where it is named after the time. It is checked; nothing is overwritten.",
  operands: "<TARGET>",
  settings: {
    ...databaseSettings,
    json: booleanSetting("as JSON: database, backup, bytes"),
  },
  examples: [
    "crm-integrations backup /mnt/backups/",
    "crm-integrations backup before-the-import.db --data /var/lib/crm",
  ],
  async run({ json, ...place }, [target = ""]) {
    const file = databaseFile(folderOf(place, inPostgres));
    const backup = fileFor(target);
    backupDatabase({ file, target: backup });
    const bytes = statSync(backup).size;
    const text = `Copied ${file} to ${backup} (${formatBytes(bytes)}), and checked it.`;
    process.stdout.write(`${json ? JSON.stringify({ database: file, backup, bytes }) : text}\n`);
  },
});

/** In a folder it is named after the time. One that is written with a / behind it is made if missing. @throws UsageError */
function fileFor(target: string): string {
  if (target === "-")
    throw new UsageError(
      "A backup cannot go to standard output, for it is checked where it stands. Name a file or a folder.",
    );
  if (target.endsWith("/")) mkdirPrivate(target);
  const isFolder = statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? join(target, `crm-${fileTimestamp(Date.now())}.db`) : target;
}
