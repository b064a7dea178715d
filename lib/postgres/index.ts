export { DatabaseRefused } from "./migrate.ts";
export { postgresStorage } from "./storage.ts";
