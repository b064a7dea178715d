import Database from "better-sqlite3";
/**
 * Returns how the schema differs from schema.sql, one phrase for each table, index or trigger. Tables of other programs
 * are ignored: Litestream has some. The database must have the newest schema version.
 */
export declare function schemaFaults(database: Database.Database): readonly string[];
/** Returns whether the cursor secret is missing, as a phrase. Only a file without schema faults may be asked. */
export declare function secretFaults(database: Database.Database): readonly string[];
