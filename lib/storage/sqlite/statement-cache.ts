import type { Database, Statement } from "better-sqlite3";
import { LRUCache } from "lru-cache";

/** More shapes of statement than all endpoints together can ask for; the bound is against surprises. */
const statementsMax = 1_000;

export type Row = Record<string, unknown>;

/** The prepared statements of one connection, each made once. */
export class StatementCache {
  readonly #database: Database;
  readonly #named = new LRUCache<string, Statement<unknown[], Row>>({ max: statementsMax });
  readonly #raw = new LRUCache<string, Statement<unknown[], unknown[]>>({ max: statementsMax });

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

  /** The same with rows as lists: names take longer to give than values. */
  rows(sql: string): Statement<unknown[], unknown[]> {
    let statement = this.#raw.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare<unknown[], unknown[]>(sql).raw();
      this.#raw.set(sql, statement);
    }
    return statement;
  }
}
