import type { Database } from "better-sqlite3";
/** One step to this schema version from the one before it, over whatever data are there. */
export type Migration = {
    readonly version: number;
    readonly sql: string;
    /** After it records show something else, or are shown otherwise: their JSON is made anew. */
    readonly changesJson?: true;
};
/**
 * Every step since version 1, in order; none is changed once it was released. New files are made by schema.sql, which
 * a test holds to what these steps end with.
 */
export declare const migrations: readonly Migration[];
/** The version that these steps end with, kept in a file as `user_version`. */
export declare function versionAfter(steps: readonly Migration[]): number;
/**
 * Takes all steps that the file has not taken, in one transaction: a crash leaves the old version or the new one.
 * References are not enforced step by step, as a table that others refer to can only be made anew that way; they
 * must hold at the end. `before` is called with the version that is left, when nobody else can write any more.
 * @param check runs before the transaction is committed. If it throws, nothing has changed.
 */
export declare function migrate(database: Database, steps: readonly Migration[], before: (from: number) => void, check?: () => void): void;
