import * as fs from "node:fs";
import Database from "better-sqlite3";
import { DatabaseRefused, refusalOf } from "./database-error.ts";
import { isFound } from "./durable-fs.ts";
import { migrations, versionAfter } from "./migrations.ts";
import { openReader } from "./open.ts";
import { examine } from "./preflight.ts";

/**
 * A connection to a file that is there, to look at it, whoever else uses it. Nothing is written, and nothing is left
 * beside the file that was not there before. The schema may be an older one.
 * @throws DatabaseRefused
 */
export function openView(file: string): Database.Database {
  if (!isFound(file)) throw new DatabaseRefused(`There is no database ${file}.`);
  try {
    examine(file, versionAfter(migrations));
    // A connection that can only read leaves the files of the log behind that it had to make; one that can write
    // takes them away, but would move a log that was there into the database.
    const isInUse = ["-wal", "-shm"].some((suffix) => fs.existsSync(file + suffix));
    return isInUse ? openReader(file) : looked(new Database(file, { fileMustExist: true }));
  } catch (error) {
    throw refusalOf(error, file);
  }
}

/** SQLite makes the files of the log when it is first read from: where it may not, that is told here. */
function looked(database: Database.Database): Database.Database {
  try {
    versionOf(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The same, for a file whose schema must be the one of now. @throws DatabaseRefused */
export function openCurrentView(file: string): Database.Database {
  const database = openView(file);
  const [found, known] = [versionOf(database), versionAfter(migrations)];
  if (found === known) return database;
  database.close();
  throw new DatabaseRefused(`${file} has schema ${found}; this program needs ${known}. Bring it up to date: migrate.`);
}

/** The schema version of what is open. */
export function versionOf(database: Database.Database): number {
  return database.pragma("user_version", { simple: true }) as number;
}
