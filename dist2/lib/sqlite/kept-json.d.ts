import type { Database } from "better-sqlite3";
import type { AnyRecord } from "../records/kinds.ts";
import { type Table } from "../sql/table.ts";
export declare function keepsJson({ kind }: Table): boolean;
/** The JSON that reading this row would give, of which `toRow` made the values. */
export declare function keptJson(table: Table, row: readonly unknown[], record: AnyRecord): string;
/** Makes the JSON of every record anew, in the transaction that is open. */
export declare function refreshJson(database: Database): void;
/** A line for each table whose lists show records otherwise than they are: who changes rows by hand changes no JSON. */
export declare function staleJson(database: Database): readonly string[];
