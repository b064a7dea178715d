import type { ClientBase, Pool } from "pg";
import { type Migration } from "./migrations.ts";
/** A database that this version cannot work with. The message is one line and names the way out. */
export declare class DatabaseRefused extends Error {
    constructor(message: string);
}
/**
 * Makes the schema where there is none and brings an older one up to date, in one transaction: a crash leaves the old
 * version or the new one, and of several servers that start at once one does it. @throws DatabaseRefused @throws StorageUnavailable
 */
export declare function migrate(pool: Pool, steps?: readonly Migration[]): Promise<void>;
/** The version of the schema that is there, undefined where there is none, and the one that this program knows. */
export declare function postgresSchemaVersions(client: ClientBase): Promise<{
    readonly found: number | undefined;
    readonly known: number;
}>;
