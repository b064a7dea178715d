import { dirname } from "node:path";
import { getSystemErrorMessage } from "node:util";
import { SqliteError } from "better-sqlite3";
import { DatabaseError } from "../database-error.ts";
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
export function toStorageUnavailable(error: unknown): unknown {
  const known = error instanceof SqliteError && transientCodes.some((name) => error.code.startsWith(`SQLITE_${name}`));
  if (known) return new StorageUnavailable(`The database can't be used: ${error.code}.`, { cause: error });
  return error;
}

/** Error codes that mean that the content of the file is damaged. */
const contentErrorCodes = ["SQLITE_CORRUPT", "SQLITE_NOTADB"];

/** Returns whether the content of the file is damaged. */
export function isCorrupt(error: unknown): boolean {
  return error instanceof SqliteError && contentErrorCodes.some((code) => error.code.startsWith(code));
}

/** Converts an error of SQLite to a DatabaseError with a remedy. Returns any other error unchanged. */
export function toDatabaseError(error: unknown, file: string): unknown {
  if (!(error instanceof SqliteError)) return error;
  const wrap = (text: string): DatabaseError => new DatabaseError(`${file} ${text}`, { cause: error });
  if (isBusy(error)) return wrap("is locked by another program. Stop it first.");
  if (isCorrupt(error)) return wrap(`can't be read: ${error.message}. Restore it from a backup.`);
  const advice = `Check the free space and permissions of ${dirname(file)}, then start again.`;
  return wrap(`can't be opened: ${error.message} (${error.code}). ${advice}`);
}

/** Like `toDatabaseError`, for a file that doesn't exist yet. */
export function toCreationError(error: unknown, file: string): unknown {
  const { code = "", errno = 0 } = error as NodeJS.ErrnoException;
  if (!["EACCES", "EPERM", "EROFS"].includes(code)) return toDatabaseError(error, file);
  const reason = `${getSystemErrorMessage(errno)} (${code})`;
  return new DatabaseError(
    `${file} can't be created: ${reason}. This user must be able to write to ${dirname(file)}.`,
    {
      cause: error,
    },
  );
}
