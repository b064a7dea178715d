export { backupDatabase } from "./backup.js";
export { inspectDatabase, migrateDatabase, schemaVersions } from "./inspect.js";
export { sqliteStorage } from "./open-storage.js";
export { DatabaseRefused } from "./refused.js";
export { removeTenant } from "./remove-tenant.js";
export { restoreDatabase } from "./restore.js";
export { sqliteSnapshot } from "./snapshot.js";
