export { DatabaseRefused, postgresSchemaVersions } from "./migrate.ts";
export { postgresSnapshot } from "./snapshot.ts";
export { postgresStorage } from "./storage.ts";
