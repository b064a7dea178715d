export { DatabaseError } from "../database-error.ts";
export type { CommitStats } from "./commit-queue.ts";
export { assertPostgresWritable } from "./connection-checks.ts";
export { distributeTables, distributionSql } from "./distribute.ts";
export { readPostgresSchemaVersions } from "./migrate.ts";
export { removeTenant } from "./remove-tenant.ts";
export { postgresSnapshot } from "./snapshot.ts";
export { type PostgresOptions, postgresStorage } from "./storage.ts";
