import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { dirname, resolve } from "node:path";
import Database from "better-sqlite3";
import { DatabaseError } from "../database-error.ts";
import { fsyncPath, publishFile } from "./file-system.ts";
import { isCorrupt } from "./storage-errors.ts";

/**
 * Copies the database of a connection into a new file with mode 0600. The copy is checked and durable. A failed copy
 * leaves nothing behind. Blocks the event loop.
 * @throws DatabaseError
 */
export function copyTo(database: Database.Database, target: string): void {
  if (fs.existsSync(target)) throw new DatabaseError(targetExistsMessage(target));
  const draft = tempName(target);
  try {
    fs.closeSync(fs.openSync(draft, "wx", 0o600));
    database.prepare("VACUUM INTO ?").run(draft);
    assertIntact(draft);
    fsyncPath(draft);
    publishFile(draft, target);
  } catch (cause) {
    throw new DatabaseError(copyErrorMessage(database.name, target, cause), { cause });
  } finally {
    removeTemp(draft);
  }
}

/** Returns the name of a temporary file next to `target`. */
export function tempName(target: string): string {
  return `${target}.new-${randomBytes(6).toString("hex")}`;
}

export function removeTemp(draft: string): void {
  for (const suffix of ["", "-journal", "-wal", "-shm"]) fs.rmSync(draft + suffix, { force: true });
}

/** Checks a file that no connection uses. @throws DatabaseError if it is damaged */
function assertIntact(file: string): void {
  const database = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const [error] = integrityErrors(database, true);
    if (error !== undefined) throw new DatabaseError(`${file} is corrupt (${error}).`);
  } finally {
    database.close();
  }
}

/** Returns up to ten lines about damaged pages, rows and references, and with `full` about indexes. */
export function integrityErrors(database: Database.Database, full: boolean): readonly string[] {
  try {
    const found = database.pragma(full ? "integrity_check(10)" : "quick_check(10)") as Record<string, string>[];
    const errors = found.flatMap((row) => Object.values(row)).filter((text) => text !== "ok");
    const broken = database.pragma("foreign_key_check") as { table: string; parent: string }[];
    const lost = broken.map(({ table, parent }) => `a row of ${table} refers to a missing row of ${parent}`);
    return [...errors, ...lost].slice(0, 10).map((text) => text.replace(/\s+/g, " "));
  } catch (error) {
    if (isCorrupt(error)) return [(error as Error).message];
    throw error;
  }
}

function copyErrorMessage(file: string, target: string, cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === "EEXIST") return targetExistsMessage(target);
  const failed = `${file} can't be copied to ${target}`;
  if (cause instanceof DatabaseError) return `${failed}: the copy is damaged. Run \`check --full\`.`;
  if (isCorrupt(cause)) return `${failed}: ${message}. Run \`check --full\`.`;
  return `${failed}: ${message}. Check the free space and permissions of ${dirname(resolve(target))}.`;
}

function targetExistsMessage(target: string): string {
  return `${target} already exists. Choose another file.`;
}
