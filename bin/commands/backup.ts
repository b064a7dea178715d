import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { backupDatabase } from "../../lib/sqlite/index.ts";
import { command } from "../command.ts";
import { databaseFile, dataDefault } from "../data-folder.ts";
import { flag, word } from "../setting.ts";
import { sizeText, stampOf } from "../stamp.ts";

export const backupCommand = command({
  name: "backup",
  summary: "Copy the database while it is served, to a file or into a folder, and check the copy",
  operands: "<TARGET>",
  settings: {
    data: word("DIR", "the folder of the database", { default: dataDefault }),
    json: flag("as JSON: database, backup, bytes"),
  },
  examples: [
    "crm-integrations backup /mnt/backups/",
    "crm-integrations backup before-the-import.db --data /var/lib/crm",
  ],
  async run({ data, json }, [target = ""]) {
    const file = databaseFile(data);
    const backup = fileFor(target);
    backupDatabase({ file, target: backup });
    const bytes = statSync(backup).size;
    const text = `Copied ${file} to ${backup} (${sizeText(bytes)}), and checked it.`;
    process.stdout.write(`${json ? JSON.stringify({ database: file, backup, bytes }) : text}\n`);
  },
});

/** In a folder it is named after the time. One that is written with a / behind it is made if missing. */
function fileFor(target: string): string {
  if (target.endsWith("/")) mkdirSync(target, { recursive: true, mode: 0o700 });
  const isFolder = statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? join(target, `crm-${stampOf(Date.now())}.db`) : target;
}
