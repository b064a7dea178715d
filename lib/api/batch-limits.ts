import type { Clock } from "../auth/rate-limiter.ts";
import { entityKinds } from "../model/entities.ts";
import { ApiError } from "../model/errors.ts";
import type { Kind } from "../model/kinds.ts";
import type { BaseRecord } from "../model/model.ts";
import type { StorageReads } from "../storage/storage.ts";
import type { HandlerResult, Proposal } from "./endpoint.ts";
import { maxPageBytes } from "./read-page.ts";

/** The time after which a batch lets other batches and requests run. */
const maxTurnMs = 25;

/** `413 bad_request`: a batch reads or returns more bytes than a page may have. */
export class BatchTooLarge extends ApiError {
  constructor() {
    const problem = `The records that the batch reads or returns exceed ${maxPageBytes / 1024 / 1024} MiB.`;
    super("bad_request", `${problem} Nothing was written. Send fewer operations.`, { status: 413 });
  }
}

/** Returns a function that counts the bytes of a response. It throws `BatchTooLarge` if they exceed those of a page. */
export function responseCounter(): (text: string) => void {
  let bytes = 0;
  return (text) => {
    bytes += Buffer.byteLength(text);
    if (bytes > maxPageBytes) throw new BatchTooLarge();
  };
}

/**
 * Returns the reads of a storage. They reject with `BatchTooLarge` if the records of `entityKinds` that they return
 * exceed the bytes of a page. Each version of a record counts once.
 */
export function boundedReads(storage: StorageReads): StorageReads {
  const counted = new Set<string>();
  let bytes = 0;
  const count = (kind: Kind, record: BaseRecord): void => {
    const version = `${kind} ${record.id} ${record.updatedAt}`;
    if (counted.has(version) || !(entityKinds as readonly Kind[]).includes(kind)) return;
    counted.add(version);
    bytes += textBytes(record);
    if (bytes > maxPageBytes) throw new BatchTooLarge();
  };
  return {
    async get(tenant, kind, id) {
      const record = await storage.get(tenant, kind, id);
      if (record !== undefined) count(kind, record);
      return record;
    },
    async list(tenant, kind, query) {
      const records = await storage.list(tenant, kind, query);
      for (const record of records) count(kind, record);
      return records;
    },
    activeOpportunities: (...parameters) => storage.activeOpportunities(...parameters),
    search: (...parameters) => storage.search(...parameters),
    count: (...parameters) => storage.count(...parameters),
    openTotals: (...parameters) => storage.openTotals(...parameters),
    settingsVersion: (tenant) => storage.settingsVersion(tenant),
    eventsFrom: (tenant) => storage.eventsFrom(tenant),
  };
}

/** Returns the bytes of all texts in a value. */
function textBytes(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, each) => sum + textBytes(each), 0);
}

/** The batches of this process that wait for a turn, because all of them share its event loop. */
const waiting: (() => void)[] = [];

/** Returns a function that waits for a turn of the event loop on its first call, and again after 25 ms. */
export function turnTaker(clock: Clock): () => Promise<void> {
  let since = Number.NEGATIVE_INFINITY;
  return async () => {
    if (clock.monotonic() - since <= maxTurnMs) return;
    await nextTurn();
    since = clock.monotonic();
  };
}

/** Waits for a turn of the event loop in which no other batch runs. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(startNext);
  });
}

/** Starts one batch, and the others in later turns, so that other requests run in between. */
function startNext(): void {
  waiting[0]?.();
  waiting.shift();
  if (waiting.length > 0) setImmediate(startNext);
}

/**
 * Returns the proposal of a response. It keeps its last result, because a batch and its commit call it several times.
 */
export function toProposal(response: HandlerResult | Proposal): Proposal {
  if (typeof response !== "function") return () => ({ ...response, writes: [] });
  let last: { readonly at: number; readonly now: number; readonly result: ReturnType<Proposal> } | undefined;
  return (at, now) => {
    if (last?.at !== at || last.now !== now) last = { at, now, result: response(at, now) };
    return last.result;
  };
}
