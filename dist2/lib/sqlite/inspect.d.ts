import type { Migrated } from "./told.ts";
/** The schema version that a file has, and the one that this version of the library works with. */
export type SchemaVersions = {
    readonly found: number;
    readonly known: number;
};
/** What can be told of a database by looking at it. */
export type Inspected = SchemaVersions & {
    /** What is wrong with its pages, rows, schema and, with `full`, indexes. Ten lines at most about pages and rows. */
    readonly faults: readonly string[];
    /** The last instant that any tenant's clock reached, in milliseconds since 1970; undefined without a tenant. */
    readonly newestAt: number | undefined;
};
/**
 * Looks through a file, whoever uses it, and changes nothing. References are always looked at, indexes and the JSON
 * beside records with `full`.
 * @throws DatabaseRefused where it is no database of ours, or a newer one
 */
export declare function inspectDatabase({ file, full }: {
    readonly file: string;
    readonly full?: boolean;
}): Inspected;
/** @throws DatabaseRefused where it is no database of ours, or a newer one */
export declare function schemaVersions({ file }: {
    readonly file: string;
}): SchemaVersions;
/**
 * Brings a file to the schema of this version, as opening it to serve does: copied beside itself first, then all
 * steps in one transaction. Undefined where there was nothing to do. @throws DatabaseRefused
 */
export declare function migrateDatabase({ file }: {
    readonly file: string;
}): Migrated | undefined;
