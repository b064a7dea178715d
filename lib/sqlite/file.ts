import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { dirname, resolve } from "node:path";
import Database from "better-sqlite3";
import { isBusy } from "./fault.ts";
import { schemaSql } from "./schema.ts";

/** Written into the header of every file of ours: "CRMi" as a number. */
const applicationId = 0x43524d69;
/** The version of schema.sql, kept as `user_version`. */
const schemaVersion = 1;
/** A lock held longer than this must not stop the event loop: whoever waits longer waits outside, asynchronously. */
const busyTimeoutMs = 50;
/** Larger files are not read whole at every start; `PRAGMA quick_check` reads about 1 GB a second. */
const quickCheckBytesMax = 256 * 1024 * 1024;

/** A database file that this version cannot work with. The message is one line and names the file and the way out. */
export class DatabaseRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "DatabaseRefused";
  }
}

/** Opens the file, making it (0600, in a 0700 folder) where there is none. @throws DatabaseRefused */
export function openWriter(file: string): Database.Database {
  if (file !== ":memory:") {
    if (!fs.existsSync(file)) createFile(file);
    checkHeader(file);
  }
  const database = new Database(file);
  try {
    configure(database);
    if (file === ":memory:") createSchema(database);
    else {
      keepWhatIsThere(file);
      checkContents(database, file);
    }
    return database;
  } catch (error) {
    database.close();
    if (!(error instanceof Database.SqliteError)) throw error;
    if (isBusy(error))
      throw new DatabaseRefused(`${file} is locked by another program. Stop that first.`, { cause: error });
    throw new DatabaseRefused(`${file} cannot be read: ${error.message}. Restore it from a backup.`, { cause: error });
  }
}

/** A second connection that can only read. Null bytes of work are shared with the writer but the file. */
export function openReader(file: string): Database.Database {
  const database = new Database(file, { readonly: true, fileMustExist: true });
  database.pragma(`busy_timeout = ${busyTimeoutMs}`);
  return database;
}

/** Every commit reaches the disk before it is answered; foreign keys hold; nothing blocks the event loop for long. */
function configure(database: Database.Database): void {
  database.pragma(`busy_timeout = ${busyTimeoutMs}`);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.pragma("foreign_keys = ON");
  database.pragma("trusted_schema = OFF");
  const mode = database.pragma("journal_mode", { simple: true });
  if (mode !== "wal" && !database.memory) throw new DatabaseRefused(`${database.name} cannot use WAL (it is ${mode}).`);
  if (database.pragma("synchronous", { simple: true }) !== 2) throw new Error("synchronous is not FULL");
  if (database.pragma("foreign_keys", { simple: true }) !== 1) throw new Error("foreign_keys is not ON");
}

/**
 * A program that died in a commit leaves it in the log, written and perhaps not synced, and SQLite takes it for made:
 * it would be shown, and answered for, and a power loss could still take it away. So it is synced before anyone sees it,
 * and so is the name of a file whose maker died before he did that.
 */
function keepWhatIsThere(file: string): void {
  for (const path of [`${file}-wal`, dirname(file)]) if (fs.existsSync(path)) sync(path);
}

/** Made whole under another name and then linked into place: a crash leaves no half-made file, a race one winner. */
function createFile(file: string): void {
  makeFolder(dirname(resolve(file)));
  const draft = `${file}.new-${randomBytes(6).toString("hex")}`;
  fs.closeSync(fs.openSync(draft, "wx", 0o600));
  try {
    const database = new Database(draft);
    configure(database);
    createSchema(database);
    database.close();
    fs.linkSync(draft, file);
    sync(dirname(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    for (const suffix of ["", "-wal", "-shm"]) fs.rmSync(draft + suffix, { force: true });
  }
}

/** The folder is there, and so is its name in the one above, and those of the folders that had to be made on the way. */
function makeFolder(folder: string): void {
  const first = fs.mkdirSync(folder, { recursive: true, mode: 0o700 }) ?? folder;
  for (let made = folder; ; made = dirname(made)) {
    syncName(made);
    if (made.length <= first.length) return;
  }
}

function syncName(path: string): void {
  try {
    sync(dirname(path));
  } catch (error) {
    // A folder that we may not read is not one that we made: its names are its owner's to keep.
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
  }
}

/** What was written to the file, or the names in the folder, are on the disk. */
function sync(path: string): void {
  const descriptor = fs.openSync(path, "r");
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
}

function createSchema(database: Database.Database): void {
  database
    .transaction(() => {
      database.exec(schemaSql);
      database.prepare("INSERT INTO settings (name, value) VALUES ('cursor_secret', ?)").run(randomBytes(32));
      database.pragma(`application_id = ${applicationId}`);
      database.pragma(`user_version = ${schemaVersion}`);
    })
    .immediate();
}

/** What can be told without SQLite, which would leave its own files beside a database that is not ours. */
function checkHeader(file: string): void {
  if (fs.statSync(file).size === 0)
    throw new DatabaseRefused(`${file} is empty. Restore it from a backup, or remove it to start anew.`);
  // In use, by this process perhaps: to close the file here would let go of the locks that SQLite holds on it.
  if (fs.existsSync(`${file}-shm`)) return;
  const header = Buffer.alloc(100);
  const descriptor = fs.openSync(file, "r");
  const length = fs.readSync(descriptor, header, 0, 100, 0);
  fs.closeSync(descriptor);
  if (length < 100 || header.toString("latin1", 0, 16) !== "SQLite format 3\0") {
    throw new DatabaseRefused(`${file} is not a SQLite database. Choose another data folder or restore a backup.`);
  }
  checkApplication(file, header.readUInt32BE(68));
  // What a crash left in the log may be newer than the header.
  if (fs.existsSync(`${file}-wal`)) return;
  checkVersion(file, header.readUInt32BE(60));
  // The size is asked last: a file that another process makes longer meanwhile is not cut off.
  const { size } = fs.statSync(file);
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const whole = header.readUInt32BE(28) * pageSize;
  if (size < whole)
    throw new DatabaseRefused(`${file} was cut off at ${size} of ${whole} bytes. Restore it from a backup.`);
}

function checkContents(database: Database.Database, file: string): void {
  checkApplication(file, database.pragma("application_id", { simple: true }) as number);
  checkVersion(file, database.pragma("user_version", { simple: true }) as number);
  if (fs.statSync(file).size > quickCheckBytesMax) return;
  const fault = String(database.pragma("quick_check(1)", { simple: true }));
  if (fault === "ok") return;
  throw new DatabaseRefused(`${file} is corrupt (${fault.replace(/\s+/g, " ")}). Restore it from a backup.`);
}

function checkApplication(file: string, id: number): void {
  if (id === applicationId) return;
  throw new DatabaseRefused(`${file} is the database of another program. Choose another data folder.`);
}

function checkVersion(file: string, version: number): void {
  if (version === schemaVersion) return;
  const known = `schema ${version}; this program knows ${schemaVersion}`;
  if (version > schemaVersion)
    throw new DatabaseRefused(`${file} was made by a newer version (${known}). Use the newer program.`);
  throw new DatabaseRefused(`${file} has an unknown schema version (${known}).`);
}
