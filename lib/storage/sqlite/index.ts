export { DatabaseError } from "../database-error.ts";
export { backupDatabase } from "./backup.ts";
export {
  checkDatabase,
  type DatabaseCheck,
  migrateDatabase,
  readSchemaVersions,
  type SchemaVersions,
} from "./check.ts";
export { chownLike, mkdirPrivate, permissionHint } from "./file-permissions.ts";
export { type SqliteOptions, sqliteStorage } from "./open-storage.ts";
export type { CommitBatch, CommitWorkerOptions, MigrationResult, OnMigrated } from "./options.ts";
export { removeTenant } from "./remove-tenant.ts";
export { type RestoreResult, restoreDatabase } from "./restore.ts";
export { sqliteSnapshot } from "./snapshot.ts";
