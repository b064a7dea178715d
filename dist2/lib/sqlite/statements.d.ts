import type { Database, Statement } from "better-sqlite3";
export type Row = Record<string, unknown>;
/** The prepared statements of one connection, each made once. */
export declare class Statements {
    #private;
    constructor(database: Database);
    get(sql: string): Statement<unknown[], Row>;
    /** The same with rows as lists: names take longer to give than values. */
    rows(sql: string): Statement<unknown[], unknown[]>;
}
