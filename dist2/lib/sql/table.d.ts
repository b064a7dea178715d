import type { Kind, Records } from "../records/kinds.ts";
import type { ColumnType } from "../records/model.ts";
type Row = Readonly<Record<string, unknown>>;
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
export type UniqueColumn = {
    readonly field: string;
    readonly name: string;
    readonly fold: (value: string) => string;
};
/** A kind of record as a table. */
export type Table = {
    readonly kind: Kind;
    readonly name: string;
    readonly columns: readonly TableColumn[];
    readonly links: readonly LinkTable[];
    readonly uniques: readonly UniqueColumn[];
};
/** Every kind's table, derived from its model: schema.sql is held to the same columns by a test. */
export declare const tables: Readonly<Record<Kind, Table>>;
/** The names of all tables with a `tenant_id` that both databases have. Each table is listed before those it references. */
export declare const tenantTables: readonly string[];
/** `relatedToId` as SQL writes it. */
export declare function snakeCase(name: string): string;
/** What the databases write differently. */
export type Dialect = {
    readonly name: string;
    /** An aggregate that makes a JSON list, as text, of what stands in the brackets. */
    readonly jsonList: (expression: string) => string;
    /** A join whose left side leads the walk. */
    readonly leadingJoin: string;
    /** A value that is compared with, or limits. */
    readonly given: string;
    /** A condition that must not lead the walk. */
    readonly aside: (condition: string) => string;
    /** What LIMIT is where there is none. */
    readonly unlimited: unknown;
    /** A boolean as a column keeps it. */
    readonly boolean: (value: boolean) => unknown;
};
/** The values of a record in the order of `columnNames`. */
export declare function toRow(dialect: Dialect, table: Table, tenant: string, record: Records[Kind]): unknown[];
/** The columns that a row is written with. */
export declare function columnNames(table: Table): string[];
/** The number of columns of the primary key, `tenant_id` and `id`. A row starts with them. */
export declare const keyLength = 2;
/** A record from the row that `selection` reads, its values in that order. */
export declare function recordOf<K extends Kind>(table: Table, row: readonly unknown[]): Records[K];
/** The same where the values have the names that `selection` gives them. */
export declare function fromRow<K extends Kind>(table: Table, row: Row): Records[K];
/** The expressions after SELECT for a table under the alias `t`; what a list is ordered by may stand elsewhere. */
export declare function selection(dialect: Dialect, table: Table, lead?: {
    id: string;
    updatedAt: string;
}): string;
export {};
