import { type Kind, models, type Records } from "../../model/kinds.ts";
import type { ColumnType, Field, Model } from "../../model/model.ts";

type Row = Readonly<Record<string, unknown>>;
type Values = Record<string, unknown>;

/** One SQL column of a kind: where its value stands in the record, perhaps in an object there, and how it is kept. */
export type TableColumn = {
  readonly name: string;
  readonly type: ColumnType;
  readonly field: string;
  readonly member?: string;
};

/** The ids that a record holds in a table beside its own. */
export type LinkTable = {
  readonly field: string;
  readonly name: string;
  readonly owner: string;
  readonly target: string;
};

/** A unique field: its folded column, and the folding. */
export type UniqueColumn = { readonly field: string; readonly name: string; readonly fold: (value: string) => string };

/** A kind of record as a table. */
export type Table = {
  readonly kind: Kind;
  readonly name: string;
  readonly columns: readonly TableColumn[];
  readonly links: readonly LinkTable[];
  readonly uniques: readonly UniqueColumn[];
};

const stamps = ["createdAt", "updatedAt", "archivedAt"];

/** Every kind's table, derived from its model: schema.sql is held to the same columns by a test. */
export const tables = Object.fromEntries(
  Object.entries(models).map(([kind, model]) => [kind, tableOf(kind as Kind, model)]),
) as Readonly<Record<Kind, Table>>;

/** The names of all tables with a `tenant_id` that both databases have. Each table is listed before those it references. */
export const tenantTables: readonly string[] = Object.values(tables)
  .reverse()
  .flatMap(({ kind, name, links }) => [
    ...links.map((link) => link.name),
    ...(kind === "tenant" ? ["tenant_clocks"] : []),
    name,
  ]);

/** `relatedToId` as SQL writes it. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** What the databases write differently. */
export type Dialect = {
  readonly name: string;
  /** An aggregate that makes a JSON list, as text, of what stands in the brackets. */
  readonly jsonList: (expression: string) => string;
  /** A join whose left side leads the walk. */
  readonly orderedJoin: string;
  /** A value that is compared with, or limits. */
  readonly placeholder: string;
  /** A condition that must not lead the walk. */
  readonly withoutIndex: (condition: string) => string;
  /** What LIMIT is where there is none. */
  readonly noLimit: unknown;
  /** A boolean as a column keeps it. */
  readonly boolean: (value: boolean) => unknown;
};

/** The values of a record in the order of `columnNames`. */
export function toRow(dialect: Dialect, table: Table, tenant: string, record: Records[Kind]): unknown[] {
  const values = record as unknown as Values;
  const uniques = table.uniques.map(({ field, fold }) =>
    typeof values[field] === "string" ? fold(values[field]) : null,
  );
  return [tenant, ...table.columns.map((column) => encode(dialect, column.type, valueAt(values, column))), ...uniques];
}

/** The columns that a row is written with. */
export function columnNames(table: Table): string[] {
  return ["tenant_id", ...table.columns.map(({ name }) => name), ...table.uniques.map(({ name }) => name)];
}

/** The number of columns of the primary key, `tenant_id` and `id`. A row starts with them. */
export const keyLength = 2;

/** A record from the row that `selectColumns` reads, its values in that order. */
export function toRecord<K extends Kind>(table: Table, row: readonly unknown[]): Records[K] {
  const { columns, links } = table;
  const record: Values = {};
  for (let at = 0; at < columns.length; at++) {
    const { field, member, type } = columns[at] as TableColumn;
    const value = decode(type, row[at]);
    if (member === undefined) record[field] = value;
    else if (value !== null) record[field] = { ...(record[field] as Values | null), [member]: value };
    else record[field] ??= null;
  }
  for (let at = 0; at < links.length; at++) {
    record[(links[at] as LinkTable).field] = JSON.parse(row[columns.length + at] as string);
  }
  return record as unknown as Records[K];
}

/** The same where the values have the names that `selectColumns` gives them. */
export function recordFromRow<K extends Kind>(table: Table, row: Row): Records[K] {
  return toRecord(table, [
    ...table.columns.map(({ name }) => row[name]),
    ...table.links.map(({ field }) => row[field]),
  ]);
}

/** The expressions after SELECT for a table under the alias `t`; what a list is ordered by may stand elsewhere. */
export function selectColumns(
  dialect: Dialect,
  table: Table,
  lead = { id: "t.id", updatedAt: "t.updated_at" },
): string {
  const leads: Readonly<Record<string, string>> = { id: lead.id, updated_at: lead.updatedAt };
  const columns = table.columns.map(({ name }) => `${leads[name] ?? `t."${name}"`} AS "${name}"`);
  const links = table.links.map(
    ({ field, name, owner, target }) =>
      `(SELECT ${dialect.jsonList(`${target} ORDER BY position`)} FROM ${name} WHERE tenant_id = t.tenant_id AND ${owner} = t.id) AS "${field}"`,
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
  const uniques = fields.flatMap(([name, { unique }]) =>
    unique === undefined ? [] : [{ field: name, name: `${snakeCase(name)}_key`, fold: unique }],
  );
  const id: TableColumn = { name: "id", type: "text", field: "id" };
  const times = stamps.map((field): TableColumn => ({ name: snakeCase(field), type: "timestamp", field }));
  return { kind, name: model.plural, columns: [id, ...columns, ...times], links, uniques };
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

function valueAt(values: Values, { field, member }: TableColumn): unknown {
  const value = values[field];
  return member === undefined ? value : ((value as Values | null)?.[member] ?? null);
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
