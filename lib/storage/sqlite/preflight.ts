import * as fs from "node:fs";
import { versions } from "node:process";
import Database from "better-sqlite3";
import { DatabaseError } from "../database-error.ts";
import { permissionError } from "./file-system.ts";
import { schemaVersionOf } from "./schema.ts";
import { isBusy } from "./storage-errors.ts";

/** The `application_id` in the header of every database file: "CRMi". */
export const applicationId = 0x43524d69;
/** Limit for `PRAGMA quick_check` at startup. It reads about 1 GB per second. */
const maxQuickCheckBytes = 256 * 1024 * 1024;

/**
 * Checks a file before a connection that can write opens it, so that a rejected file stays unchanged. Returns `true` if
 * the contents were checked as well as the header.
 * @throws DatabaseError
 */
export function preflight(file: string, schemaVersion: number): boolean {
  assertReadable(file);
  if (fs.statSync(file).size === 0)
    throw new DatabaseError(`${file} is empty. Restore it from a backup, or remove it to start with a new one.`);
  const isShared = fs.existsSync(`${file}-shm`);
  // Closing a file releases all POSIX locks of this process on it.
  if (!isShared) checkHeader(file, schemaVersion);
  if (!isShared && !fs.existsSync(`${file}-wal`)) return false;
  // A writing connection would checkpoint the WAL of a crash on close.
  const database = new Database(file, { readonly: true });
  try {
    assertUsableDatabase(database, schemaVersion);
  } finally {
    database.close();
  }
  return true;
}

/** The Node-API version that the addon of better-sqlite3 needs. An older Node ends with a segmentation fault. */
const minNodeApi = 10;

/** @throws DatabaseError if this Node can't load the addon of SQLite */
export function assertNodeApi(): void {
  const { napi, node } = versions;
  if (napi === undefined || Number(napi) >= minNodeApi) return;
  throw new DatabaseError(`SQLite needs Node 22.14 or later, and not 23.0 to 23.5. This is Node ${node}. Update Node.`);
}

function assertReadable(file: string): void {
  try {
    fs.accessSync(file, fs.constants.R_OK);
  } catch (error) {
    throw permissionError(file, error);
  }
}

/** Checks header and WAL through SQLite, and small files with quick_check. @throws DatabaseError */
export function assertUsableDatabase(database: Database.Database, schemaVersion: number): void {
  const file = database.name;
  checkApplication(file, database.pragma("application_id", { simple: true }) as number);
  checkVersion(file, schemaVersionOf(database), schemaVersion);
  if (fs.statSync(file).size > maxQuickCheckBytes) return;
  const fault = String(database.pragma("quick_check(1)", { simple: true }));
  if (fault === "ok") return;
  throw new DatabaseError(`${file} is corrupt (${fault.replace(/\s+/g, " ")}). Restore it from a backup.`);
}

/** Fails early on a read-only file, which SQLite opens without an error. */
export function assertWritable(database: Database.Database): void {
  const version = schemaVersionOf(database);
  try {
    database.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${version}`);
  } catch (error) {
    if (!isBusy(error)) throw error;
  } finally {
    if (database.inTransaction) database.exec("ROLLBACK");
  }
}

/** Reads the header without SQLite, which would leave files next to a database of another program. */
function checkHeader(file: string, schemaVersion: number): void {
  const header = Buffer.alloc(100);
  const descriptor = fs.openSync(file, "r");
  const length = fs.readSync(descriptor, header, 0, 100, 0);
  fs.closeSync(descriptor);
  if (length < 100 || header.toString("latin1", 0, 16) !== "SQLite format 3\0") {
    throw new DatabaseError(`${file} is not a SQLite database. Choose another data folder or restore a backup.`);
  }
  checkApplication(file, header.readUInt32BE(68));
  // The WAL may be newer than the header.
  if (fs.existsSync(`${file}-wal`)) return;
  checkVersion(file, header.readUInt32BE(60), schemaVersion);
  // Read the size last, because another process may be extending the file.
  const { size } = fs.statSync(file);
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const whole = header.readUInt32BE(28) * pageSize;
  if (size < whole)
    throw new DatabaseError(`${file} was cut off at ${size} of ${whole} bytes. Restore it from a backup.`);
}

function checkApplication(file: string, id: number): void {
  if (id === applicationId) return;
  throw new DatabaseError(`${file} is the database of another program. Choose another data folder.`);
}

/** Accepts the current schema version and older ones. */
function checkVersion(file: string, version: number, schemaVersion: number): void {
  if (version >= 1 && version <= schemaVersion) return;
  const known = `schema ${version}; this program knows ${schemaVersion}`;
  if (version > schemaVersion)
    throw new DatabaseError(`${file} was made by a newer version (${known}). Use the newer program.`);
  throw new DatabaseError(`${file} has an unknown schema version (${known}).`);
}

const chunkBytes = 64 * 1024;

/**
 * Rewrites and fsyncs the WAL after a crash. SQLite replays commits whose fsync never happened or failed, and the
 * kernel doesn't write pages again after a failed fsync.
 * @throws DatabaseError if the WAL can't be written
 */
export function flushWal(database: Database.Database): void {
  if (!hasLog(database) || !isLocked(database)) return;
  const file = logOf(database);
  try {
    rewrite(file);
  } catch (cause) {
    const what = `${file} can't be flushed to disk: ${(cause as Error).message}.`;
    throw new DatabaseError(`${what} Check the disk, then start again.`, { cause });
  } finally {
    database.exec("ROLLBACK");
  }
}

/**
 * Closes a database that was rejected. Closing the last writing connection moves the WAL into the database, and a power
 * loss during that couldn't be repaired from a WAL that isn't durable.
 */
export function closeWithoutCheckpoint(database: Database.Database): void {
  const other = hasLog(database) ? new Database(database.name, { readonly: true }) : undefined;
  try {
    other?.pragma("schema_version");
  } catch {
    // A file that can't be read has no WAL to move.
  } finally {
    database.close();
    other?.close();
  }
}

function logOf({ name }: Database.Database): string {
  return `${name}-wal`;
}

function hasLog(database: Database.Database): boolean {
  const found = database.memory ? undefined : fs.statSync(logOf(database), { throwIfNoEntry: false });
  return (found?.size ?? 0) > 0;
}

/** Locks the WAL against writes. A process that holds the lock flushed the WAL when it opened the file. */
function isLocked(database: Database.Database): boolean {
  try {
    database.exec("BEGIN IMMEDIATE");
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

function rewrite(file: string): void {
  const descriptor = fs.openSync(file, "r+");
  try {
    const chunk = Buffer.alloc(chunkBytes);
    for (let position = 0; ; ) {
      const length = fs.readSync(descriptor, chunk, 0, chunkBytes, position);
      if (length === 0) break;
      position += fs.writeSync(descriptor, chunk, 0, length, position);
    }
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}
