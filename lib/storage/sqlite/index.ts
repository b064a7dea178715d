export { DatabaseError } from "../database-error.ts";
export { backupDatabase } from "./backup.ts";
export { checkDatabase, type DatabaseCheck, migrateDatabase, type SchemaVersions, schemaVersions } from "./check.ts";
export { type SqliteOptions, sqliteStorage } from "./open-storage.ts";
export type { CommitBatch, CommitWorkerOptions, MigrationResult, OnMigrated } from "./options.ts";
export { chownLike, mkdirPrivate, permissionHint } from "./private-files.ts";
export { removeTenant } from "./remove-tenant.ts";
export { type RestoreResult, restoreDatabase } from "./restore.ts";
export { sqliteSnapshot } from "./snapshot.ts";
