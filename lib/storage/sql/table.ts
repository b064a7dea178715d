import { entityKinds } from "../../model/entities.ts";
import { type AnyRecord, type Kind, models, type Records } from "../../model/kinds.ts";
import type { ColumnType, Field, Model } from "../../model/model.ts";
import { phoneDigits } from "../../model/normalize.ts";
import { toJsonText } from "../../model/record-json.ts";

type Row = Readonly<Record<string, unknown>>;
type MutableValues = Record<string, unknown>;

/** A SQL column of a kind, and the field of the record, or the member of an object field, that it stores. */
export type TableColumn = {
  readonly name: string;
  readonly type: ColumnType;
  readonly field: string;
  readonly member?: string;
};

/** A table of the IDs in a list field, such as `contactIds`. */
export type LinkTable = {
  readonly field: string;
  readonly name: string;
  readonly owner: string;
  readonly target: string;
};

/** A unique field, the column of its normalized value, the normalization, and the field that duplicates share too. */
export type UniqueColumn = {
  readonly field: string;
  readonly name: string;
  readonly normalize: (value: string) => string;
  readonly within: string | undefined;
};

/** A column of the digits of a phone number. */
export type DigitsColumn = { readonly field: string; readonly name: string };

/** The tables of a kind. */
export type Table = {
  readonly kind: Kind;
  readonly name: string;
  readonly columns: readonly TableColumn[];
  readonly links: readonly LinkTable[];
  readonly uniques: readonly UniqueColumn[];
  readonly digits: readonly DigitsColumn[];
};

const timeFields = ["createdAt", "updatedAt", "archivedAt"];

/** The table of each kind, derived from its model. A test compares the columns with schema.sql. */
export const tables = Object.fromEntries(
  Object.entries(models).map(([kind, model]) => [kind, tableOf(kind as Kind, model)]),
) as Readonly<Record<Kind, Table>>;

/** The names of all tables with a `tenant_id` that both databases have. Each table is before those it references. */
export const tenantTables: readonly string[] = Object.values(tables)
  .reverse()
  .flatMap(({ kind, name, links }) => [
    ...links.map((link) => link.name),
    ...(kind === "tenant" ? ["tenant_clocks"] : []),
    name,
  ]);

/** Converts `relatedToId` to `related_to_id`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Differences between the SQL of the databases. */
export type Dialect = {
  readonly name: string;
  /** Aggregates an expression to a JSON list, as text. */
  readonly jsonList: (expression: string) => string;
  /** The tenant in a subselect for a record `t`. Citus needs a value to read one shard: the statement's first. */
  readonly tenantOfRecord: string;
  /** A join that scans the left side first. */
  readonly orderedJoin: string;
  /**
   * Whether each scan that a list merges needs its own order and limit. The planner of PostgreSQL otherwise reads and
   * sorts all records after the position.
   */
  readonly limitsScans: boolean;
  /** The placeholder of a value in a condition or LIMIT. */
  readonly placeholder: string;
  /** The placeholder of a LIMIT that the planner doesn't know. It then expects few rows and scans an index in order. */
  readonly hiddenLimit: string;
  /** Returns a condition that a column has one of the values of a placeholder, a JSON array of texts. */
  readonly isAnyOf: (column: string) => string;
  /** Hides a condition from the planner, so that it uses no index for it. */
  readonly withoutIndex: (condition: string) => string;
  /** Returns an expression for the last 7 digits of a column of digits, as its index has it. */
  readonly lastDigits: (column: string) => string;
  /** Selects the IDs of the records with words, for the values of `wordValues`. At most `maxMatches`. */
  readonly idsWithWords: string;
  /** Returns the condition that a column has a value that the statement selects. The statement runs once. */
  readonly isSelected: (column: string, select: string) => string;
  /** Returns the values of `idsWithWords`. */
  readonly wordValues: (tenant: string, kind: Kind, words: readonly string[]) => readonly unknown[];
  /** The sort key of a name, see `sortKey`. */
  readonly nameKey: string;
  /** Returns an expression for the sum of a column of numbers. A sum that is too large is no error. */
  readonly sum: (column: string) => string;
  /** The value of LIMIT for all rows. */
  readonly noLimit: unknown;
  /** Converts a boolean to the value of its column. */
  readonly boolean: (value: boolean) => unknown;
};

/** Kinds whose lists have pages. Their rows store the JSON of the record, so that a page is read and not built. */
const jsonKinds: ReadonlySet<Kind> = new Set(entityKinds);

/** Returns whether the table has a column `json`. */
export function hasJsonColumn({ kind }: Table): boolean {
  return jsonKinds.has(kind);
}

/** Returns the response JSON of a row that `selectColumns` reads. Further values in the row are ignored. */
export function rowToJson(table: Table, row: readonly unknown[]): string {
  return toJsonText(models[table.kind], toRecord(table, row) as AnyRecord);
}

/** Returns the values of a record in the order of `columnNames`. */
export function toRow(dialect: Dialect, table: Table, tenant: string, record: Records[Kind]): unknown[] {
  const values = record as unknown as MutableValues;
  const uniques = table.uniques.map(({ field, normalize }) =>
    typeof values[field] === "string" ? normalize(values[field]) : null,
  );
  const columns = table.columns.map((column) => encode(dialect, column.type, valueAt(values, column)));
  const digits = table.digits.map(({ field }) => phoneDigits(String(values[field] ?? "")) || null);
  return [tenant, ...columns, ...uniques, ...digits];
}

/** Returns the names of the columns that a write sets. */
export function columnNames(table: Table): string[] {
  return ["tenant_id", ...[...table.columns, ...table.uniques, ...table.digits].map(({ name }) => name)];
}

/** Number of columns of the primary key, `tenant_id` and `id`. They are the first columns of a row. */
const keyLength = 2;

/** Returns queries for the IDs of other records with the unique values of a record, by field. Archived: none. */
export function duplicateQueries({ name: table, uniques }: Table, tenant: string, record: Records[Kind]) {
  const recordValues = record as unknown as MutableValues;
  return uniques.flatMap(({ field, name, normalize, within }) => {
    const value = recordValues[field];
    if (record.archivedAt !== null || typeof value !== "string") return [];
    const scope = within === undefined ? "" : `"${snakeCase(within)}" = ? AND `;
    const sql = `SELECT id FROM ${table} WHERE tenant_id = ? AND ${scope}${name} = ? AND archived_at IS NULL AND id <> ?`;
    const values = [tenant, ...(within === undefined ? [] : [recordValues[within]]), normalize(value), record.id];
    return [{ field, sql, values }];
  });
}

/** Returns the columns that an UPDATE sets. The primary key never changes. */
export function updatedColumns(table: Table): string[] {
  return columnNames(table).slice(keyLength);
}

/** Returns the values of `updatedColumns`. */
export function updatedValues(dialect: Dialect, table: Table, record: Records[Kind]): unknown[] {
  return toRow(dialect, table, "", record).slice(keyLength);
}

/** Converts an array of the values of `selectColumns` to a record. */
export function toRecord<K extends Kind>(table: Table, row: readonly unknown[]): Records[K] {
  const { columns, links } = table;
  const record: MutableValues = {};
  for (let at = 0; at < columns.length; at++) {
    const { field, member, type } = columns[at] as TableColumn;
    const value = decode(type, row[at]);
    if (member === undefined) record[field] = value;
    else if (value !== null) record[field] = { ...(record[field] as MutableValues | null), [member]: value };
    else record[field] ??= null;
  }
  for (let at = 0; at < links.length; at++) {
    record[(links[at] as LinkTable).field] = JSON.parse(row[columns.length + at] as string);
  }
  return record as unknown as Records[K];
}

/** Converts an object with the columns of `selectColumns` to a record. */
export function recordFromRow<K extends Kind>(table: Table, row: Row): Records[K] {
  return toRecord(table, [
    ...table.columns.map(({ name }) => row[name]),
    ...table.links.map(({ field }) => row[field]),
  ]);
}

/** Returns the columns of a SELECT from a table with the alias `t`. `position` has the columns of the list order. */
export function selectColumns(
  dialect: Dialect,
  table: Table,
  position = { id: "t.id", updatedAt: "t.updated_at" },
): string {
  const sortColumns: Readonly<Record<string, string>> = { id: position.id, updated_at: position.updatedAt };
  const columns = table.columns.map(({ name }) => `${sortColumns[name] ?? `t."${name}"`} AS "${name}"`);
  const links = table.links.map(
    ({ field, name, owner, target }) =>
      `(SELECT ${dialect.jsonList(`${target} ORDER BY position`)} FROM ${name} WHERE tenant_id = ${dialect.tenantOfRecord} AND ${owner} = t.id) AS "${field}"`,
  );
  return [...columns, ...links].join(", ");
}

function tableOf(kind: Kind, model: Model): Table {
  const fields = Object.entries(model.fields);
  const columns = fields.flatMap(([name, field]) => columnsOf(name, field));
  const links = fields
    .filter(([, field]) => field.column === "links")
    .map(([name]) => {
      const target = name.replace(/Ids$/, "");
      return { field: name, name: `${kind}_${target}s`, owner: `${kind}_id`, target: `${target}_id` };
    });
  const uniques = fields.flatMap(([name, { unique, uniqueWithin: within }]) =>
    unique === undefined ? [] : [{ field: name, name: `${snakeCase(name)}_key`, normalize: unique, within }],
  );
  const digits = fields
    .filter(([, { isPhone }]) => isPhone)
    .map(([name]) => ({ field: name, name: `${snakeCase(name)}_digits` }));
  const id: TableColumn = { name: "id", type: "text", field: "id" };
  const times = timeFields.map((field): TableColumn => ({ name: snakeCase(field), type: "timestamp", field }));
  return { kind, name: model.plural, columns: [id, ...columns, ...times], links, uniques, digits };
}

function columnsOf(field: string, { column = "text" }: Field): TableColumn[] {
  if (column === "links") return [];
  if (typeof column === "string") return [{ name: snakeCase(field), type: column, field }];
  return Object.entries(column).map(([member, type]) => ({
    name: `${snakeCase(field)}_${snakeCase(member)}`,
    type,
    field,
    member,
  }));
}

function valueAt(values: MutableValues, { field, member }: TableColumn): unknown {
  const value = values[field];
  return member === undefined ? value : ((value as MutableValues | null)?.[member] ?? null);
}

function encode(dialect: Dialect, type: ColumnType, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (type === "boolean") return dialect.boolean(value === true);
  return type === "json" ? JSON.stringify(value) : value;
}

function decode(type: ColumnType, value: unknown): unknown {
  if (value === null) return null;
  if (type === "boolean") return value === 1 || value === true;
  return type === "json" ? JSON.parse(value as string) : value;
}
