import { dirname } from "node:path";
import { SqliteError } from "better-sqlite3";
import { DatabaseError } from "../database-error.ts";
import { isBusy } from "./storage-errors.ts";

/** Error codes that mean that the content of the file is damaged. */
const contentFaults = ["SQLITE_CORRUPT", "SQLITE_NOTADB"];

/** Returns whether the content of the file is damaged. */
export function isCorrupt(error: unknown): boolean {
  return error instanceof SqliteError && contentFaults.some((code) => error.code.startsWith(code));
}

/** Converts an error of SQLite to a DatabaseError that says what to do. Returns any other error unchanged. */
export function toDatabaseError(error: unknown, file: string): unknown {
  if (!(error instanceof SqliteError)) return error;
  const refused = (text: string): DatabaseError => new DatabaseError(`${file} ${text}`, { cause: error });
  if (isBusy(error)) return refused("is locked by another program. Stop that first.");
  if (isCorrupt(error)) return refused(`cannot be read: ${error.message}. Restore it from a backup.`);
  const place = `the space and the permissions of ${dirname(file)}`;
  return refused(`cannot be opened: ${error.message} (${error.code}). Look to ${place}, then start again.`);
}
