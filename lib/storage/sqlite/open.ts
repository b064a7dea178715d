import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { dirname, resolve } from "node:path";
import Database from "better-sqlite3";
import { DatabaseError } from "../database-error.ts";
import { schemaSql } from "./bundled-files.ts";
import { copyTo, removeTemp, tempName } from "./copy.ts";
import { fsyncParent, fsyncPath, identifyFile, mkdirDurable, pathExists, timestampedName } from "./file-system.ts";
import type { MigrationResult, OnMigrated } from "./options.ts";
import {
  applicationId,
  assertNodeApi,
  assertUsableDatabase,
  assertWritable,
  closeWithoutCheckpoint,
  flushWal,
  preflight,
} from "./preflight.ts";
import {
  findCursorSecretErrors,
  findSchemaErrors,
  latestVersion,
  type Migration,
  migrate,
  migrations,
  schemaVersionOf,
} from "./schema.ts";
import { toCreationError, toDatabaseError } from "./storage-errors.ts";

/** Time that a read-only or opening connection may block the event loop for a lock. */
const busyTimeoutMs = 50;
/** Size of the WAL, in pages of 4 KiB, at which it is checkpointed. */
const maxWalPages = 4_000;

/** Page cache of a read-only connection, in MiB. */
const defaultCacheMb = 32;
/** Page cache of a writing connection, in MiB. A server has two: on the main thread and on the worker thread. */
const writerCacheMb = 4;

/**
 * Opens or creates the database file (mode 0600, folder 0700) and migrates it. Statements never wait for a lock.
 * @throws DatabaseError
 */
export function openWriter(
  file: string,
  steps: readonly Migration[] = migrations,
  onMigrated?: OnMigrated,
): Database.Database {
  assertNodeApi();
  if (file === ":memory:") return openConfigured(new Database(file), createSchema);
  if (isMissing(file)) createFile(file);
  return openExisting(file, steps, onMigrated);
}

/** Opens and migrates an existing file. @throws DatabaseError */
export function openExisting(
  file: string,
  steps: readonly Migration[] = migrations,
  onMigrated: OnMigrated = () => {},
): Database.Database {
  assertNodeApi();
  try {
    const identity = identifyFile(file)?.file;
    const isChecked = preflight(file, latestVersion(steps));
    return openConfigured(new Database(file, { fileMustExist: true }), (database) => {
      if (!isChecked) assertUsableDatabase(database, latestVersion(steps));
      assertSchema(database);
      assertWritable(database);
      // A restore may have replaced the file after this connection opened the old one.
      if (identifyFile(file)?.file !== identity)
        throw new DatabaseError(`${file} was replaced while it was being opened. Start again.`);
      flushWal(database);
      // The process that created the file may have died before the name was durable.
      fsyncParent(resolve(file));
      const migrated = migrateWithBackup(database, steps);
      if (migrated !== undefined) onMigrated(migrated);
    });
  } catch (error) {
    throw toDatabaseError(error, file);
  }
}

/** Opens a second writing connection to a file that this process has open. */
export function openSecondWriter(file: string): Database.Database {
  return openConfigured(new Database(file, { fileMustExist: true }));
}

/** Opens a serialized database in memory. */
export function openSerialized(image: Buffer): Database.Database {
  assertNodeApi();
  return openConfigured(new Database(image));
}

/** Copies the file and then applies the missing migrations. */
function migrateWithBackup(database: Database.Database, steps: readonly Migration[]): MigrationResult | undefined {
  const [file, to] = [database.name, latestVersion(steps)];
  const backup = timestampedName(file, `before-schema-${to}`);
  // The writer holds the lock, and this connection doesn't see its steps.
  const copy = (): void => {
    const reader = openReader(file);
    try {
      copyTo(reader, backup);
    } finally {
      reader.close();
    }
  };
  try {
    const from = migrate(database, steps, copy, () => assertSchema(database));
    return from < to ? { file, from, to, backup } : undefined;
  } catch (error) {
    // A server that restarts in a loop would fill the disk with copies.
    fs.rmSync(backup, { force: true });
    throw error;
  }
}

/** Opens a read-only connection. It shares only the file with the writer. */
export function openReader(file: string, cacheMb = defaultCacheMb): Database.Database {
  const database = new Database(file, { readonly: true, fileMustExist: true });
  database.pragma(`busy_timeout = ${busyTimeoutMs}`);
  database.pragma(`cache_size = -${cacheMb * 1024}`);
  database.pragma("temp_store = MEMORY");
  // SQLite opens the WAL by its path on the first read. Read now, before the path can hold another file.
  database.pragma("user_version");
  return database;
}

/** Configures and prepares a database. Closes it if that fails. */
function openConfigured(
  database: Database.Database,
  prepare: (database: Database.Database) => void = () => {},
): Database.Database {
  try {
    configure(database);
    prepare(database);
    database.pragma("busy_timeout = 0");
    return database;
  } catch (error) {
    closeWithoutCheckpoint(database);
    throw error;
  }
}

/** Makes commits durable, enforces foreign keys, and limits the time that a lock blocks the event loop. */
function configure(database: Database.Database): void {
  database.pragma(`busy_timeout = ${busyTimeoutMs}`);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  // Without it, fsync on macOS leaves data in the disk cache.
  database.pragma("fullfsync = ON");
  database.pragma("foreign_keys = ON");
  database.pragma(`wal_autocheckpoint = ${maxWalPages}`);
  database.pragma(`cache_size = -${writerCacheMb * 1024}`);
  database.pragma("trusted_schema = OFF");
  // A statement journal or a sort must not depend on a temporary folder: a read-only container has none.
  database.pragma("temp_store = MEMORY");
  const mode = database.pragma("journal_mode", { simple: true });
  if (mode !== "wal" && !database.memory) throw new DatabaseError(`${database.name} can't use WAL (it is ${mode}).`);
  if (database.pragma("synchronous", { simple: true }) !== 2) throw new Error("synchronous is not FULL");
  if (database.pragma("foreign_keys", { simple: true }) !== 1) throw new Error("foreign_keys is not ON");
}

/** @throws DatabaseError if the schema differs from schema.sql, or the cursor secret is missing */
function assertSchema(database: Database.Database): void {
  if (schemaVersionOf(database) !== latestVersion(migrations)) return;
  const differences = findSchemaErrors(database);
  const errors = differences.length > 0 ? differences : findCursorSecretErrors(database);
  if (errors.length === 0) return;
  throw new DatabaseError(`${database.name} is damaged: ${errors.join("; ")}. Restore a backup.`);
}

/** @throws DatabaseError if only the WAL exists. It holds the last commits, and SQLite would apply it to a new file. */
function isMissing(file: string): boolean {
  const log = `${file}-wal`;
  const logSize = fs.statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  if (fs.existsSync(file)) return false;
  if (logSize === 0) return true;
  throw new DatabaseError(
    `${file} is missing, but its WAL ${log} exists. Restore the file, or remove the WAL to start with a new database.`,
  );
}

/** Creates the file under a temporary name, then links it, so that a crash leaves no partial file. */
function createFile(file: string): void {
  const draft = tempName(file);
  try {
    mkdirDurable(dirname(resolve(file)));
    fs.closeSync(fs.openSync(draft, "wx", 0o600));
    const created = openConfigured(new Database(draft), (database) => {
      createSchema(database);
      // close() would ignore a disk that is too full for the checkpoint.
      database.pragma("wal_checkpoint(TRUNCATE)");
    });
    created.close();
    fs.linkSync(draft, file);
    fsyncPath(dirname(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw toCreationError(error, file);
  } finally {
    removeTemp(draft);
  }
}

function createSchema(database: Database.Database): void {
  database
    .transaction(() => {
      database.exec(schemaSql);
      database.prepare("INSERT INTO settings (name, value) VALUES ('cursor_secret', ?)").run(randomBytes(32));
      database.pragma(`application_id = ${applicationId}`);
      database.pragma(`user_version = ${latestVersion(migrations)}`);
    })
    .immediate();
}

/**
 * Opens an existing file without writing to it and without leaving files next to it. The schema may be older.
 * @throws DatabaseError
 */
export function openReadonly(file: string): Database.Database {
  assertNodeApi();
  if (!pathExists(file)) throw new DatabaseError(`No database at ${file}.`);
  try {
    preflight(file, latestVersion(migrations));
    // A read-only connection leaves new WAL files behind. A writing one removes them, but would checkpoint an existing
    // WAL.
    const isInUse = ["-wal", "-shm"].some((suffix) => fs.existsSync(file + suffix));
    return isInUse ? openReader(file) : probe(new Database(file, { fileMustExist: true }));
  } catch (error) {
    throw toDatabaseError(error, file);
  }
}

/** SQLite creates the WAL files on the first read. This reports if it can't. */
function probe(database: Database.Database): Database.Database {
  try {
    schemaVersionOf(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
