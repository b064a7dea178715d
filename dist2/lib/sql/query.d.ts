import type { Query } from "../storage.ts";
import { type Dialect, type Table } from "./table.ts";
/** A list as SQL. Statements with the same text are prepared once. */
export type Select = {
    readonly sql: string;
    readonly values: readonly unknown[];
};
/** What is read of each record: all its columns, or its ID, its time and the column `json`, which is NULL in `shortJson` if it is long. */
export type Shown = "record" | "json" | "shortJson";
/**
 * The statement of a list. Each shape walks one index whose order is the order of the answer, so that a page costs
 * the same wherever it lies; with archived records it merges two such walks.
 */
export declare function selectOf(dialect: Dialect, table: Table, tenant: string, query: Query, shown?: Shown): Select;
