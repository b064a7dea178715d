import type { Storage } from "../storage.ts";
import type { CommitBatch, CommitThreadOptions, OnMigrated } from "./told.ts";
export type SqliteOptions = CommitThreadOptions & {
    readonly file: string;
    /** Told of each transaction that wrote, after those who waited for it: for metrics. Must not throw. */
    readonly onCommit?: ((batch: CommitBatch) => void) | undefined;
    /** Told of an older file that was brought up to date, and where it was copied to before. */
    readonly onMigrated?: OnMigrated;
};
/**
 * SQLite in a file, or in memory under ":memory:". Several processes may share a file. An older file is copied beside
 * itself before it is brought up to date.
 * @throws DatabaseRefused where the file is empty, foreign, newer or corrupt.
 */
export declare function sqliteStorage({ file, onCommit, onMigrated, ...apart }: SqliteOptions): Storage;
