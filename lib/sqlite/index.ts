export type { CommitBatch } from "./commit-batch.ts";
export { type SqliteOptions, sqliteStorage } from "./open-storage.ts";
export { DatabaseRefused } from "./refused.ts";
