export { DatabaseRefused } from "./refused.ts";
export { sqliteStorage } from "./storage.ts";
