import type { Database, Statement as Prepared } from "better-sqlite3";
import { LRUCache } from "lru-cache";

/** Limit of cached statements of each type. */
const maxStatements = 1_000;

type Row = Record<string, unknown>;

/** Caches the prepared statements of one connection. */
export class StatementCache {
  readonly #database: Database;
  readonly #objects = new LRUCache<string, Prepared<unknown[], Row>>({ max: maxStatements });
  readonly #texts = new LRUCache<string, Prepared<unknown[], string | null>>({ max: maxStatements });
  readonly #arrays = new LRUCache<string, Prepared<unknown[], unknown[]>>({ max: maxStatements });

  constructor(database: Database) {
    this.#database = database;
  }

  get(sql: string): Prepared<unknown[], Row> {
    return this.#objects.get(sql) ?? addTo(this.#objects, sql, this.#database.prepare(sql));
  }

  /** Returns a statement that reads only the first column of each row. */
  texts(sql: string): Prepared<unknown[], string | null> {
    return this.#texts.get(sql) ?? addTo(this.#texts, sql, this.#database.prepare(sql).pluck());
  }

  /** Returns a statement whose rows are arrays, which are faster than objects. */
  rows(sql: string): Prepared<unknown[], unknown[]> {
    return this.#arrays.get(sql) ?? addTo(this.#arrays, sql, this.#database.prepare(sql).raw());
  }
}

function addTo<R>(
  cache: LRUCache<string, Prepared<unknown[], R>>,
  sql: string,
  statement: Prepared,
): Prepared<unknown[], R> {
  cache.set(sql, statement as Prepared<unknown[], R>);
  return statement as Prepared<unknown[], R>;
}
