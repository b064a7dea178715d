import { SqliteError } from "better-sqlite3";
import { StorageUnavailable } from "../storage.ts";

/** SQLite errors caused by the file or the machine. */
const transientCodes = [
  "BUSY",
  "LOCKED",
  "FULL",
  "IOERR",
  "READONLY",
  "CANTOPEN",
  "CORRUPT",
  "NOTADB",
  "NOMEM",
  "PROTOCOL",
];

/** Returns whether another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof SqliteError && error.code.startsWith("SQLITE_BUSY");
}

export function isConstraint(error: unknown): boolean {
  return error instanceof SqliteError && error.code.startsWith("SQLITE_CONSTRAINT");
}

/** Converts an error of the file or the machine to StorageUnavailable. Returns any other error unchanged. */
export function toStorageError(error: unknown): unknown {
  const known = error instanceof SqliteError && transientCodes.some((name) => error.code.startsWith(`SQLITE_${name}`));
  if (known) return new StorageUnavailable(`The database can't be used: ${error.code}.`, { cause: error });
  return error;
}
