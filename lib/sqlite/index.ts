export { backupDatabase } from "./backup.ts";
export type { CommitBatch } from "./commit-queue.ts";
export type { Migrated, OnMigrated } from "./file.ts";
export { type Inspected, inspectDatabase, migrateDatabase, type SchemaVersions, schemaVersions } from "./inspect.ts";
export { DatabaseRefused } from "./refused.ts";
export { type Restored, restoreDatabase } from "./restore.ts";
export { sqliteSnapshot } from "./snapshot.ts";
export { type SqliteOptions, sqliteStorage } from "./storage.ts";
