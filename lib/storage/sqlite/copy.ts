import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { dirname, resolve } from "node:path";
import Database from "better-sqlite3";
import { DatabaseError } from "../database-error.ts";
import { isCorrupt } from "./database-error.ts";
import { fsyncPath, publishFile } from "./durable-fs.ts";
import { applicationId } from "./preflight.ts";

/**
 * Copies what a connection sees into a new file, readable by its owner only, while others go on using the database.
 * The copy is of one moment; it is whole, checked and on the disk when this returns, and a copy that fails leaves
 * nothing. It stops the event loop for as long as it takes.
 * @throws DatabaseError
 */
export function copyTo(database: Database.Database, target: string): void {
  if (fs.existsSync(target)) throw new DatabaseError(isThere(target));
  const draft = tempName(target);
  try {
    fs.closeSync(fs.openSync(draft, "wx", 0o600));
    database.prepare("VACUUM INTO ?").run(draft);
    assertIntact(draft);
    fsyncPath(draft);
    publishFile(draft, target);
  } catch (cause) {
    throw new DatabaseError(wordsOf(database.name, target, cause), { cause });
  } finally {
    removeTemp(draft);
  }
}

/** The name of a file that is not whole yet, beside the one that it is to become. */
export function tempName(target: string): string {
  return `${target}.new-${randomBytes(6).toString("hex")}`;
}

export function removeTemp(draft: string): void {
  for (const suffix of ["", "-journal", "-wal", "-shm"]) fs.rmSync(draft + suffix, { force: true });
}

/** Reads all of a file that nobody else uses. @throws DatabaseError where anything in it is not as it must be */
export function assertIntact(file: string): void {
  const database = new Database(file, { readonly: true, fileMustExist: true });
  try {
    if (database.pragma("application_id", { simple: true }) !== applicationId)
      throw new DatabaseError(`${file} is the database of another program.`);
    const [fault] = integrityErrors(database, true);
    if (fault !== undefined) throw new DatabaseError(`${file} is corrupt (${fault}).`);
  } finally {
    database.close();
  }
}

/** What is wrong in a database, a line each, ten at most: pages, rows and references; with `full` the indexes too. */
export function integrityErrors(database: Database.Database, full: boolean): readonly string[] {
  try {
    const found = database.pragma(full ? "integrity_check(10)" : "quick_check(10)") as Record<string, string>[];
    const faults = found.flatMap((row) => Object.values(row)).filter((text) => text !== "ok");
    const broken = database.pragma("foreign_key_check") as { table: string; parent: string }[];
    const lost = broken.map(({ table, parent }) => `a row of ${table} refers to a row of ${parent} that is not there`);
    return [...faults, ...lost].slice(0, 10).map((text) => text.replace(/\s+/g, " "));
  } catch (error) {
    if (isCorrupt(error)) return [(error as Error).message];
    throw error;
  }
}

function wordsOf(file: string, target: string, cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === "EEXIST") return isThere(target);
  const failed = `${file} cannot be copied to ${target}`;
  if (cause instanceof DatabaseError) return `${failed}: the copy is faulty. Look what is wrong: check --full.`;
  if (isCorrupt(cause)) return `${failed}: ${message}. Look what is wrong: check --full.`;
  return `${failed}: ${message}. Look to the space and the permissions of ${dirname(resolve(target))}.`;
}

function isThere(target: string): string {
  return `${target} is there already, and nothing is overwritten. Name another file.`;
}
