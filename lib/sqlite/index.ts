export type { CommitBatch } from "./commit-queue.ts";
export { DatabaseRefused } from "./refused.ts";
export { type SqliteOptions, sqliteStorage } from "./storage.ts";
