import type { Database, Statement } from "better-sqlite3";
import { LRUCache } from "lru-cache";

/** Limit of cached statements of each type. */
const maxStatements = 1_000;

export type Row = Record<string, unknown>;

/** Caches the prepared statements of one connection. */
export class StatementCache {
  readonly #database: Database;
  readonly #named = new LRUCache<string, Statement<unknown[], Row>>({ max: maxStatements });
  readonly #texts = new LRUCache<string, Statement<unknown[], string | null>>({ max: maxStatements });
  readonly #raw = new LRUCache<string, Statement<unknown[], unknown[]>>({ max: maxStatements });

  constructor(database: Database) {
    this.#database = database;
  }

  get(sql: string): Statement<unknown[], Row> {
    let statement = this.#named.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare<unknown[], Row>(sql);
      this.#named.set(sql, statement);
    }
    return statement;
  }

  /** Returns a statement that reads only the first column of each row. */
  texts(sql: string): Statement<unknown[], string | null> {
    let statement = this.#texts.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare<unknown[], string | null>(sql).pluck();
      this.#texts.set(sql, statement);
    }
    return statement;
  }

  /** Returns a statement whose rows are arrays, which are faster than objects. */
  rows(sql: string): Statement<unknown[], unknown[]> {
    let statement = this.#raw.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare<unknown[], unknown[]>(sql).raw();
      this.#raw.set(sql, statement);
    }
    return statement;
  }
}
