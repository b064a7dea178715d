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
  const wrap = (text: string): DatabaseError => new DatabaseError(`${file} ${text}`, { cause: error });
  if (isBusy(error)) return wrap("is locked by another program. Stop it first.");
  if (isCorrupt(error)) return wrap(`can't be read: ${error.message}. Restore it from a backup.`);
  const advice = `Check the free space and permissions of ${dirname(file)}, then start again.`;
  return wrap(`can't be opened: ${error.message} (${error.code}). ${advice}`);
}
