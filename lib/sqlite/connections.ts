import type { Database, Statement } from "better-sqlite3";
import { openReader } from "./file.ts";
import { Statements } from "./statements.ts";
import { Writer } from "./writer.ts";

/** The two connections to one database, one that writes and one that reads; in memory they are the same. */
export class Connections {
  readonly database: Database;
  readonly reader: Database;
  readonly writer: Writer;
  readonly begin: Statement;
  readonly commit: Statement;
  readonly writes: Statements;
  readonly reads: Statements;

  constructor(database: Database) {
    this.database = database;
    this.reader = database.memory ? database : openReader(database.name);
    this.writer = new Writer(database);
    this.begin = database.prepare("BEGIN IMMEDIATE");
    this.commit = database.prepare("COMMIT");
    this.writes = new Statements(database);
    this.reads = new Statements(this.reader);
  }

  close(): void {
    this.reader.close();
    this.database.close();
  }
}
