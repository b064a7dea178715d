import type { WriteConflict } from "../storage/storage.ts";

/** Counts since the start of an API, for metrics. */
export type ApiCounts = {
  /** Requests whose handler ran again after a write conflict, by the reason of the conflict. */
  readonly commitConflicts: Record<WriteConflict["reason"], number>;
  /** Responses with 503 because the storage couldn't read or write. */
  storageUnavailable: number;
  /** Reads of settings from memory, and from the storage. */
  readonly settingsCache: { hit: number; miss: number };
  /** Entries that the request log couldn't store. */
  requestLogDropped: number;
};

/** Returns counts that are all zero. */
export function zeroCounts(): ApiCounts {
  return {
    commitConflicts: { duplicate: 0, stale: 0 },
    storageUnavailable: 0,
    settingsCache: { hit: 0, miss: 0 },
    requestLogDropped: 0,
  };
}
