import * as fs from "node:fs";
import Database from "better-sqlite3";
import { DatabaseError } from "../database-error.ts";
import { toDatabaseError } from "./database-error.ts";
import { exists } from "./durable-fs.ts";
import { latestVersion, migrations } from "./migrations.ts";
import { openReader } from "./open.ts";
import { preflight } from "./preflight.ts";

/**
 * Opens an existing file without writing to it and without leaving files next to it. The schema may be older.
 * @throws DatabaseError
 */
export function openReadonly(file: string): Database.Database {
  if (!exists(file)) throw new DatabaseError(`No database at ${file}.`);
  try {
    preflight(file, latestVersion(migrations));
    // A read-only connection leaves new WAL files behind. A writing one removes them, but would checkpoint an existing WAL.
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

/** Opens a file for reading only if its schema version is current. @throws DatabaseError */
export function openReadonlyCurrent(file: string): Database.Database {
  const database = openReadonly(file);
  const [found, known] = [schemaVersionOf(database), latestVersion(migrations)];
  if (found === known) return database;
  database.close();
  throw new DatabaseError(`${file} has schema ${found}; this program needs ${known}. Run \`migrate\`.`);
}

/** Returns the schema version of an open database. */
export function schemaVersionOf(database: Database.Database): number {
  return database.pragma("user_version", { simple: true }) as number;
}
