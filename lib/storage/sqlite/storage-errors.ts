import { SqliteError } from "better-sqlite3";
import { StorageUnavailable } from "../storage.ts";

/** Results of SQLite that speak of the place, not of us: another time they may be gone. */
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

/** Whether the lock is held by another process for the moment. */
export function isBusy(error: unknown): boolean {
  return error instanceof SqliteError && error.code.startsWith("SQLITE_BUSY");
}

export function isConstraint(error: unknown): boolean {
  return error instanceof SqliteError && error.code.startsWith("SQLITE_CONSTRAINT");
}

/** The error as the interface names it: no driver error leaves the adapter where it is the place's fault. */
export function toStorageError(error: unknown): unknown {
  const known = error instanceof SqliteError && transientCodes.some((name) => error.code.startsWith(`SQLITE_${name}`));
  if (known) return new StorageUnavailable(`The database cannot be used: ${error.code}.`, { cause: error });
  return error;
}
