import type { RecordJson } from "../storage.ts";
import { type Table } from "./table.ts";
/**
 * What `presentJson` writes of the record in the row that `selection` reads, letter by letter: without the record, which
 * costs as much again.
 */
export declare function rowJson({ kind, columns }: Table, row: readonly unknown[]): RecordJson;
