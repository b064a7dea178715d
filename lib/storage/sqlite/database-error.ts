import { dirname } from "node:path";
import { SqliteError } from "better-sqlite3";
import { isBusy } from "./storage-errors.ts";

/** A database file that this version cannot work with. The message is one line and names the file and the way out. */
export class DatabaseError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "DatabaseError";
  }
}

/** Results that say that the content is wrong; with all others it may be sound, and only the place is not. */
const contentFaults = ["SQLITE_CORRUPT", "SQLITE_NOTADB"];

/** Whether it is the file that is wrong, not its place. */
export function isCorrupt(error: unknown): boolean {
  return error instanceof SqliteError && contentFaults.some((code) => error.code.startsWith(code));
}

/** What SQLite said when the file was opened, with the way out; what is no error of SQLite's comes back as it is. */
export function toDatabaseError(error: unknown, file: string): unknown {
  if (!(error instanceof SqliteError)) return error;
  const refused = (text: string): DatabaseError => new DatabaseError(`${file} ${text}`, { cause: error });
  if (isBusy(error)) return refused("is locked by another program. Stop that first.");
  if (isCorrupt(error)) return refused(`cannot be read: ${error.message}. Restore it from a backup.`);
  const place = `the space and the permissions of ${dirname(file)}`;
  return refused(`cannot be opened: ${error.message} (${error.code}). Look to ${place}, then start again.`);
}
