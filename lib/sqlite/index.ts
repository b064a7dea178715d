export { backupDatabase } from "./backup.ts";
export { type Inspected, inspectDatabase, migrateDatabase, type SchemaVersions, schemaVersions } from "./check.ts";
export { DatabaseRefused } from "./database-error.ts";
export { type SqliteOptions, sqliteStorage } from "./open-storage.ts";
export type { CommitBatch, CommitThreadOptions, Migrated, OnMigrated } from "./options.ts";
export { removeTenant } from "./remove-tenant.ts";
export { type Restored, restoreDatabase } from "./restore.ts";
export { sqliteSnapshot } from "./snapshot.ts";
