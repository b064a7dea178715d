import type { ClientBase } from "pg";
/** One step to this schema version from the one before it, over whatever data are there. */
export type Migration = {
    readonly version: number;
    readonly sql: string;
};
/**
 * Every step since version 1, in order; none is changed once it was released. New databases are made by schema.sql, which
 * a test holds to what these steps end with.
 */
export declare const migrations: readonly Migration[];
/** The version that these steps end with, kept in `settings`. */
export declare function versionAfter(steps: readonly Migration[]): number;
/** Takes all steps after this version, within the transaction that is open. */
export declare function takeSteps(client: ClientBase, version: number, steps: readonly Migration[]): Promise<void>;
/** A step over many records, or the wait for another server's, may take longer than a request is given by the pool. */
export declare function patiently(client: ClientBase, text: string, values?: unknown[]): Promise<void>;
