import { keysFilterOf } from "../query.ts";
import { hasCreationIndex, maxSortedRecords, noDueDate, type Sort } from "../sort.ts";
import type { Query } from "../storage.ts";
import {
  buildSelect,
  type Condition,
  columnValues,
  conditionOf,
  jsonColumn,
  type ListColumns,
  mergeScans,
  type Select,
  type Source,
  sourceOf,
} from "./select.ts";
import { type Dialect, selectColumns, snakeCase, type Table } from "./table.ts";

/**
 * Limit of the matches that a statement sorts. It is above `maxSortedRecords`, because records can be written between
 * the count and the statement.
 */
export const maxMatches = 2 * maxSortedRecords;

/**
 * A list, and the statement that counts the matches that it sorts. Without it, the list scans an index in its order.
 */
export type ListSelect = Select & { readonly count?: Select | undefined };

/** Returns the statement of a list in any order. */
export function buildListSelect(
  dialect: Dialect,
  table: Table,
  tenant: string,
  query: Query,
  columns: ListColumns = "record",
): ListSelect {
  if (query.sort === undefined && !sortsMatches(query)) return buildSelect(dialect, table, tenant, query, columns);
  const sort = query.sort ?? commitOrder(query);
  const list = new SortedList(dialect, table, tenant, query, sort);
  return list.hasIndex ? list.scanIndex(columns) : list.sortMatches(columns);
}

/** Returns whether a list sorts its matches, also in the order of commits. */
export function sortsMatches(query: Query): boolean {
  return query.words !== undefined || keysFilterOf(query) !== undefined;
}

function commitOrder({ after }: Query): Sort {
  const position = after && { after: { key: after.updatedAt, id: after.id } };
  return { by: "updatedAt", descending: false, ...position };
}

/**
 * Returns the statement that counts the records of a list, and the records that it has examined: at most `max + 1` that
 * an index of the most selective filter has. The other filters don't end the scan.
 */
export function buildCount(dialect: Dialect, table: Table, tenant: string, query: Query, max: number): Select {
  return new SortedList(dialect, table, tenant, query, commitOrder({})).count(max + 1);
}

/** Builds the statements of a list that isn't in the order of commits, or that sorts its matches. */
class SortedList {
  readonly #dialect: Dialect;
  readonly #table: Table;
  readonly #tenant: string;
  readonly #query: Query;
  readonly #sort: Sort;
  readonly #conditions: readonly Condition[];

  constructor(dialect: Dialect, table: Table, tenant: string, query: Query, sort: Sort) {
    this.#dialect = dialect;
    this.#table = table;
    this.#tenant = tenant;
    this.#query = query;
    this.#sort = sort;
    const fields = Object.keys(query.where ?? {}).map((field) => conditionOf(table, field));
    const words: Condition = { column: "t.id", rank: 0, isId: true, isWords: true };
    this.#conditions = query.words === undefined ? fields : [...fields, words];
  }

  /**
   * Whether an index has the records in this order. The indexes of all filters are in the order of `updatedAt`. Other
   * fields have none, because it would add a page to each create.
   */
  get hasIndex(): boolean {
    const { updatedSince } = this.#query;
    if (sortsMatches(this.#query)) return false;
    const { by } = this.#sort;
    if (by !== "createdAt") return by === "updatedAt";
    return hasCreationIndex(this.#table.kind) && this.#conditions.length === 0 && updatedSince === undefined;
  }

  /** Scans an index in the order of the list. With archived records, merges two such scans. */
  scanIndex(columns: ListColumns): ListSelect {
    const scans = this.#sources().map((source) => {
      const { position, hide } = source;
      const key = this.#keyOf(source);
      const selected = this.#columns(columns, position, key, position.id);
      return `SELECT ${selected} ${this.#from(source)}${this.#afterTerm(hide(key), position.id)}`;
    });
    const sql = mergeScans(this.#dialect, scans, this.#orderBy);
    const ownLimit = scans.length > 1 && this.#dialect.limitsScans ? [this.#limit] : [];
    const values = scans.flatMap(() => [...this.#matchValues(), ...this.#afterValues(), ...ownLimit]);
    return { sql, values: [...values, this.#limit] };
  }

  /** Sorts the matches of the filters. */
  sortMatches(columns: ListColumns): ListSelect {
    const { orderedJoin, placeholder } = this.#dialect;
    const sources = this.#sources();
    const matches = sources.map(
      (source) => `SELECT ${source.position.id} AS id, ${this.#keyOf(source)} AS sort_key ${this.#from(source)}`,
    );
    // The limit also keeps the planner from scanning an index in the order of the list.
    const found = `(${matches.join(" UNION ALL ")} LIMIT ${maxMatches}) m`;
    const after = this.#sort.after === undefined ? "" : ` WHERE ${this.#afterTerm("sort_key", "id").slice(5)}`;
    const page = `SELECT id, sort_key FROM ${found}${after} ORDER BY ${this.#orderBy} LIMIT ${placeholder}`;
    const selected = this.#columns(columns, { id: "t.id", updatedAt: "t.updated_at" }, "f.sort_key", "f.id");
    const join = `${orderedJoin} ${this.#table.name} t ON t.tenant_id = ${placeholder} AND t.id = f.id`;
    const sql = `SELECT ${selected} FROM (${page}) f ${join} ORDER BY ${this.#orderBy}`;
    const values = [...sources.flatMap(() => this.#matchValues()), ...this.#afterValues(), this.#limit, this.#tenant];
    return { sql, values, count: this.#count(sources) };
  }

  /** Returns undefined for a list of IDs, which is short. */
  #count(sources: readonly Source[]): Select | undefined {
    const { dialect, kind } = { dialect: this.#dialect, kind: this.#table.kind };
    const { words, where = {} } = this.#query;
    if (where.ids !== undefined) return undefined;
    const count = (matches: string) => `SELECT count(*) AS count FROM (${matches}) m`;
    if (words !== undefined)
      return { sql: count(dialect.idsWithWords), values: dialect.wordValues(this.#tenant, kind, words) };
    const matches = sources.map((source) => `SELECT 1 ${this.#from(source)}`).join(" UNION ALL ");
    const sql = count(`${matches} LIMIT ${maxSortedRecords + 1}`);
    return { sql, values: sources.flatMap(() => this.#matchValues()) };
  }

  count(maxExamined: number): Select {
    // A list of IDs is the shortest.
    const [first] = this.#conditions.toSorted((a, b) => Number(b.isId ?? 0) - Number(a.isId ?? 0) || a.rank - b.rank);
    const isScanned = ({ indexedAfter }: Condition) => indexedAfter !== undefined && indexedAfter === first?.column;
    const rest = this.#conditions.map((each) => each !== first && !isScanned(each));
    const scans = this.#sources().map((source) => {
      const { position, terms } = source;
      const tested = terms.filter((_, index) => rest[index - 1]);
      const scanned = { ...source, terms: terms.filter((_, index) => !rest[index - 1]) };
      const matches = tested.length === 0 ? "TRUE" : tested.map((term) => `(${term})`).join(" AND ");
      return `SELECT ${matches} AS matches, ${position.updatedAt} AS updated_at, ${position.id} AS id ${this.#from(scanned)}`;
    });
    const { limitsScans, hiddenLimit } = this.#dialect;
    // The order keeps the planner on the index of the filter. Those of matches that a list sorts don't have it.
    const isOrdered = !sortsMatches(this.#query);
    const examined = isOrdered
      ? mergeScans({ limitsScans, placeholder: hiddenLimit }, scans, "updated_at, id")
      : `${scans.join(" UNION ALL ")} LIMIT ${hiddenLimit}`;
    const ownLimit = isOrdered && scans.length > 1 && limitsScans ? [maxExamined] : [];
    const tested = this.#conditionValues().filter((_, index) => rest[index]);
    const scanned = this.#conditionValues().filter((_, index) => !rest[index]);
    const values = scans.flatMap(() => [...tested.flat(), ...this.#matchValues(scanned), ...ownLimit]);
    const sql = `SELECT count(*) FILTER (WHERE matches) AS count, count(*) AS examined FROM (${examined}) m`;
    return { sql, values: [...values, maxExamined] };
  }

  /** Archived records have no words. */
  #sources(): readonly Source[] {
    const { includeArchived, words } = this.#query;
    const parts = includeArchived === true && words === undefined ? [0, 1] : [0];
    return parts.map((archived) => sourceOf(this.#dialect, this.#table, this.#conditions, archived));
  }

  #from({ from, terms, position, hide }: Source): string {
    const since = this.#query.updatedSince === undefined ? [] : [`${hide(position.updatedAt)} >= ?`];
    return `FROM ${from} WHERE ${[...terms, ...since].join(" AND ")}`;
  }

  #keyOf({ position }: Source): string {
    const { by } = this.#sort;
    if (by === "updatedAt") return position.updatedAt;
    if (by === "name") return this.#dialect.nameKey;
    return by === "dueDate" ? `coalesce(t.due_date, ${noDueDate})` : `t.${snakeCase(by)}`;
  }

  #columns(columns: ListColumns, position: Source["position"], key: string, id: string): string {
    if (columns === "record") return `${selectColumns(this.#dialect, this.#table, position)}, ${key} AS sort_key`;
    return `${jsonColumn(columns)} AS json, ${key} AS sort_key, ${id} AS id`;
  }

  get #orderBy(): string {
    return orderByOf(this.#sort);
  }

  #afterTerm(key: string, id: string): string {
    const { after, descending } = this.#sort;
    return after === undefined ? "" : ` AND (${key}, ${id}) ${descending ? "<" : ">"} (?, ?)`;
  }

  #matchValues(ofConditions = this.#conditionValues()): readonly unknown[] {
    const { updatedSince } = this.#query;
    return [this.#tenant, ...ofConditions.flat(), ...(updatedSince === undefined ? [] : [updatedSince])];
  }

  /** Returns the values of each condition. */
  #conditionValues(): readonly (readonly unknown[])[] {
    const { where = {}, words } = this.#query;
    const [dialect, table] = [this.#dialect, this.#table];
    const values = Object.entries(where).map(([field, value]) => columnValues(dialect, table, field, value));
    return words === undefined ? values : [...values, dialect.wordValues(this.#tenant, table.kind, words)];
  }

  #afterValues(): readonly unknown[] {
    const { after } = this.#sort;
    return after === undefined ? [] : [after.key, after.id];
  }

  get #limit(): unknown {
    return this.#query.limit ?? this.#dialect.noLimit;
  }
}

/** Returns the terms of ORDER BY, for rows with the columns `sort_key` and `id`. */
export function orderByOf({ descending }: Pick<Sort, "descending">): string {
  return descending ? "sort_key DESC, id DESC" : "sort_key, id";
}
