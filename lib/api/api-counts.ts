import { kindOfEvent } from "../model/event.ts";
import type { WriteConflict } from "../storage/storage.ts";
import type { DeliveryCounts } from "../webhooks/delivery-context.ts";
import type { EventInsert } from "./events.ts";

/** Counts since the start of an API, for metrics. */
export type ApiCounts = {
  /** Requests whose handler ran again after a write conflict, by the reason of the conflict. */
  readonly commitConflicts: Record<WriteConflict["reason"], number>;
  /** Events by the kind of their records. */
  readonly events: Record<string, number>;
  /** Responses with 503 because the storage couldn't read or write. */
  storageUnavailable: number;
  /** Reads of settings from memory, and from the storage. */
  readonly settingsCache: { hit: number; miss: number };
  /** Entries that the request log couldn't store. */
  requestLogDropped: number;
};

/** The counts since the start, and what an API does at the moment. */
export type CurrentCounts = ApiCounts & {
  /** Size of the large responses that clients haven't read yet. */
  readonly unsentBytes: number;
  /** Requests with `Prefer: wait=N` that wait for a commit. */
  readonly waitingRequests: number;
  /** The webhooks that this process delivers. Undefined if it delivers none. */
  readonly delivery: DeliveryCounts | undefined;
};

/** Returns counts that are all zero. */
export function zeroCounts(): ApiCounts {
  return {
    commitConflicts: { duplicate: 0, stale: 0 },
    events: {},
    storageUnavailable: 0,
    settingsCache: { hit: 0, miss: 0 },
    requestLogDropped: 0,
  };
}

/** Adds the events of a commit. */
export function countEvents({ events }: ApiCounts, added: readonly EventInsert[]): void {
  for (const { record } of added) {
    const kind = kindOfEvent(record.type);
    events[kind] = (events[kind] ?? 0) + 1;
  }
}
