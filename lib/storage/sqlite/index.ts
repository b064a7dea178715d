export { DatabaseError } from "../database-error.ts";
export {
  backupDatabase,
  checkDatabase,
  type DatabaseCheck,
  isDatabaseInUse,
  migrateDatabase,
  readSchemaVersions,
  removeTenant,
  type SchemaVersions,
  schemaVersion,
} from "./database-tools.ts";
export { copyOwner, mkdirPrivate, permissionHint } from "./file-system.ts";
export type { CommitStats, CommitWorkerOptions, MigrationResult, OnMigrated, SqliteOptions } from "./options.ts";
export { type SqliteRequestLog, sqliteRequestLog } from "./request-log.ts";
export { type RestoreResult, restoreDatabase } from "./restore.ts";
export { sqliteSnapshot, sqliteStorage } from "./storage.ts";
