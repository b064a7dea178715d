import { statSync } from "node:fs";
import { join } from "node:path";
import { backupDatabase, mkdirPrivate } from "#lib/sqlite";
import { command } from "../cli/command.ts";
import { UsageError } from "../cli/errors.ts";
import { fileTimestamp, formatBytes } from "../cli/format.ts";
import { booleanSetting } from "../cli/setting.ts";
import { databaseFile } from "../database/data-folder.ts";
import { databaseSettings, requireDataFolder } from "../database/database.ts";

const postgresHint = 'Use pg_dump: pg_dump --format=custom --file crm.dump "$CRM_DATABASE"';

export const backupCommand = command({
  name: "backup",
  summary: "Back up the database; the server can keep running",
  details:
    "TARGET is a file or a folder. In a folder, the file is named after the current time. The copy is checked. Existing files aren't overwritten.",
  operands: "<TARGET>",
  settings: {
    ...databaseSettings,
    json: booleanSetting("print JSON: database, backup, bytes"),
  },
  examples: [
    "crm-integrations backup /mnt/backups/",
    "crm-integrations backup before-the-import.db --data /var/lib/crm",
  ],
  async run({ json, ...database }, [target = ""], { stdout }) {
    const file = databaseFile(requireDataFolder(database, postgresHint));
    const backup = resolveTarget(target);
    backupDatabase({ file, target: backup });
    const bytes = statSync(backup).size;
    const text = `Backed up ${file} to ${backup} (${formatBytes(bytes)}). The copy is intact.`;
    stdout.write(`${json ? JSON.stringify({ database: file, backup, bytes }) : text}\n`);
  },
});

/** Returns the file to write. Creates a missing folder if the target ends with `/`. @throws UsageError */
function resolveTarget(target: string): string {
  if (target === "-")
    throw new UsageError(
      "A backup can't be written to stdout, because the file is checked. Specify a file or a folder.",
    );
  if (target.endsWith("/")) mkdirPrivate(target);
  const isFolder = statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? join(target, `crm-${fileTimestamp(Date.now())}.db`) : target;
}
