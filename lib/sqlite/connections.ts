import * as fs from "node:fs";
import type { Database, Statement } from "better-sqlite3";
import { openReader } from "./file.ts";
import { Statements } from "./statements.ts";
import { Writer } from "./writer.ts";

/** Which file stands at a path, how long it is, and which stands where its log belongs ("" where none does). */
export type Standing = { readonly file: string; readonly size: number; readonly log: string };

/** The two connections to one database, one that writes and one that reads; in memory they are the same. */
export class Connections {
  readonly database: Database;
  readonly reader: Database;
  readonly writer: Writer;
  readonly begin: Statement;
  readonly commit: Statement;
  readonly savepoint: Statement;
  readonly release: Statement;
  readonly writes: Statements;
  readonly reads: Statements;
  /** What was opened; undefined in memory. */
  readonly standing: Standing | undefined;

  constructor(database: Database, reader?: Database) {
    this.database = database;
    this.reader = reader ?? (database.memory ? database : openReader(database.name));
    this.writer = new Writer(database);
    this.begin = database.prepare("BEGIN IMMEDIATE");
    this.commit = database.prepare("COMMIT");
    this.savepoint = database.prepare("SAVEPOINT one");
    this.release = database.prepare("RELEASE one");
    this.writes = new Statements(database);
    this.reads = new Statements(this.reader);
    this.standing = database.memory ? undefined : standingAt(database.name);
  }

  /** Whether all pages would fit into this many bytes: a file that only became shorter is not cut off. */
  fits(size: number): boolean {
    const ask = (name: string): number => Number(this.reader.pragma(name, { simple: true }));
    try {
      return size >= ask("page_count") * ask("page_size");
    } catch {
      // Even the first page is not whole.
      return false;
    }
  }

  /** What a database was made with, and no other has; a copy has it too. */
  secret(): Uint8Array {
    return this.reads.get("SELECT value FROM settings WHERE name = 'cursor_secret'").get()?.value as Uint8Array;
  }

  close(): void {
    this.reader.close();
    this.database.close();
  }
}

/** Undefined where there is no file, or nobody may look. */
export function standingAt(path: string): Standing | undefined {
  try {
    const file = fs.statSync(path, { bigint: true });
    const log = fs.statSync(`${path}-wal`, { bigint: true, throwIfNoEntry: false });
    return { file: `${file.dev}:${file.ino}`, size: Number(file.size), log: log ? `${log.dev}:${log.ino}` : "" };
  } catch {
    return undefined;
  }
}
