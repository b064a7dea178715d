export { DatabaseRefused } from "./file.ts";
export { sqliteStorage } from "./storage.ts";
