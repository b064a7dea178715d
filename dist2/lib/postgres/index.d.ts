export type { CommitBatch } from "./commit-queue.ts";
export { DatabaseRefused, postgresSchemaVersions } from "./migrate.ts";
export { probePostgres } from "./probe.ts";
export { removeTenant } from "./remove-tenant.ts";
export { postgresSnapshot } from "./snapshot.ts";
export { type PostgresOptions, postgresStorage } from "./storage.ts";
