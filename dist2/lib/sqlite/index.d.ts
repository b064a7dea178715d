export { backupDatabase } from "./backup.ts";
export { type Inspected, inspectDatabase, migrateDatabase, type SchemaVersions, schemaVersions } from "./inspect.ts";
export { type SqliteOptions, sqliteStorage } from "./open-storage.ts";
export { DatabaseRefused } from "./refused.ts";
export { removeTenant } from "./remove-tenant.ts";
export { type Restored, restoreDatabase } from "./restore.ts";
export { sqliteSnapshot } from "./snapshot.ts";
export type { CommitBatch, CommitThreadOptions, Migrated, OnMigrated } from "./told.ts";
