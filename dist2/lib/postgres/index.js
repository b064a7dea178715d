export { DatabaseRefused, postgresSchemaVersions } from "./migrate.js";
export { probePostgres } from "./probe.js";
export { removeTenant } from "./remove-tenant.js";
export { postgresSnapshot } from "./snapshot.js";
export { postgresStorage } from "./storage.js";
