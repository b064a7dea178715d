import { entityKinds } from "../model/entities.ts";
import { hasEvents } from "../model/event.ts";
import type { ApiKey } from "../model/integration.ts";
import { type Kind, models, type Records } from "../model/kinds.ts";
import { toJsonText } from "../model/record-json.ts";
import type { ContactOpportunities } from "./active-opportunity.ts";
import type { NoMatch, OpenTotal, Query, RecordCount, SearchHit, SearchQuery } from "./query.ts";

export type { NoMatch, OpenTotal, Position, Query, RecordCount, SearchHit, SearchQuery } from "./query.ts";

/** An insert or update of a record. An update fails if the stored `updatedAt` isn't the expected one. */
export type Write = {
  [K in Kind]:
    | { readonly op: "insert"; readonly kind: K; readonly record: Records[K] }
    | {
        readonly op: "update";
        readonly kind: K;
        readonly record: Records[K];
        readonly expectedUpdatedAt: number;
        /** The record before the update, from which its event is derived. A storage may use it to write less. */
        readonly before?: Records[K];
      };
}[Kind];

/** Conditions of a commit, from the reads that it was decided on. It is rejected as stale if one doesn't hold. */
export type CommitConditions = {
  /** The settings version of the tenant. */
  readonly settingsVersion?: number | undefined;
  /** No record that isn't archived matches this filter. It isn't for fields that are compared by digits. */
  readonly none?: NoMatch | undefined;
};

/** An API key with its tenant and the scopes of its integration. */
export type ApiKeyWithScopes = ApiKey & {
  readonly tenantId: string;
  readonly scopes: readonly string[];
  /** The settings version that was read before the key. Only `cachedSettings` sets it. */
  readonly settingsVersion?: number;
};

/** The clock of a tenant: the time of its last commit, and its settings version. */
export type TenantClock = { readonly tenantId: string; readonly lastAt: number; readonly settingsVersion: number };

/** Number of events that a call of `pruneEvents` deletes, and then those of the commit that it has begun. */
export const maxPrunedEvents = 500;

/** Stores records. The contract suite (`describeStorage`) tests every requirement. */
export interface Storage {
  /** Returns a record, archived or not. */
  get<K extends Kind>(tenant: string, kind: K, id: string): Promise<Records[K] | undefined>;
  /** Returns a record as response JSON, undefined if it is archived. See `deriveJsonReads`. */
  getJson(tenant: string, kind: Kind, id: string): Promise<string | undefined>;
  /**
   * Returns records sorted by `updatedAt`, then `id`, or in the order `sort`. Each call reads one snapshot.
   * @throws TooManyMatches if more than 5,000 records (`maxSortedRecords`) match the words, a list of keys, or the list
   * in another order than by `updatedAt`, or by `createdAt` without filters. A storage may sort more.
   * @throws SearchOff for words, if the storage has no search index
   */
  list<K extends Kind>(tenant: string, kind: K, query: Query): Promise<readonly Records[K][]>;
  /** Returns the same list as `list`, each record as response JSON. See `deriveJsonReads`. */
  listJson(tenant: string, kind: Kind, query: Query): Promise<readonly string[]>;
  /**
   * Applies all writes or none. They are durable when it resolves. `propose` gets the commit time: `now`, or a later
   * time if the tenant clock has reached `now`. Each record must have the commit time as its `updatedAt`, except in the
   * commit that creates the tenant. `propose` must be pure, because it may run again with another time. If it throws,
   * nothing is written and `commit` rejects with the same error. The conditions are checked before the writes, in the
   * same transaction.
   * @throws WriteConflict if a write is a duplicate or stale, or if a condition doesn't hold
   * @throws StorageUnavailable if it is unknown whether the writes were applied
   */
  commit(
    tenant: string,
    now: number,
    propose: (at: number) => readonly Write[],
    conditions?: CommitConditions,
  ): Promise<void>;
  /**
   * Returns the settings version of a tenant, 0 if the tenant is unknown. It is the time of the last commit that wrote
   * a setting: see `changesSettings`. Commits that resolved before the call are included.
   */
  settingsVersion(tenant: string): Promise<number>;
  /**
   * Finds an API key by its SHA-256 in hex, in any tenant. Returns undefined if the key, its integration or its tenant
   * is archived.
   */
  findApiKey(hash: string): Promise<ApiKeyWithScopes | undefined>;
  /**
   * Returns the contacts with these normalized email addresses, each with its newest open opportunities, at most
   * `limit`. Excludes archived records. Each call reads one snapshot.
   */
  activeOpportunities(
    tenant: string,
    emailKeys: readonly string[],
    limit: number,
  ): Promise<readonly ContactOpportunities[]>;
  /**
   * Returns the records whose words (`searchWords`) start with all words of the query. Records with all of them as
   * whole words come first, then those updated last, then by `id` in descending order. Excludes archived records. Sees
   * all earlier commits. If more than 5,000 records match, it may sort only the 5,000 created last.
   * @throws SearchOff if the storage has no search index
   */
  search(tenant: string, query: SearchQuery): Promise<readonly SearchHit[]>;
  /**
   * Returns the number of records of a list, at most `max`, whatever its position, order and limit. It may examine only
   * `max + 1` of the records that match one filter, and count those that match all. Throws SearchOff as `list`.
   */
  count(tenant: string, kind: Kind, query: Query, max: number): Promise<RecordCount>;
  /**
   * Returns the number and the sum of the amounts of open opportunities by pipeline, stage and currency, in any order.
   * Counts only the `max` that were updated last. Excludes archived ones.
   */
  openTotals(tenant: string, max: number): Promise<readonly OpenTotal[]>;
  /** Returns all tenants, oldest first. No endpoint calls it. */
  listTenants(): Promise<readonly Records["tenant"][]>;
  /**
   * Returns the clocks of the tenants that have webhooks, in any order. Leaves out archived webhooks and tenants. Every
   * server calls it once a second.
   */
  webhookClocks(): Promise<readonly TenantClock[]>;
  /** Returns the secret that signs cursors: at least 32 random bytes, created with the storage and stored in it. */
  cursorSecret(): Promise<Uint8Array>;
  /** Deletes up to 500 idempotency records created before this time. Returns how many. @throws NewerSchema */
  pruneIdempotencyRecords(before: number): Promise<number>;
  /**
   * Returns the time from which all events of a tenant exist, 0 if the tenant is unknown. The commit that creates the
   * tenant sets it to the tenant clock. `pruneEvents` moves it.
   */
  eventsFrom(tenant: string): Promise<number>;
  /**
   * Deletes a tenant's oldest events before a time, up to 500 and the rest of the last commit. The transaction sets
   * `eventsFrom` to a time after that commit, at the latest that of the next. Returns how many. @throws NewerSchema
   */
  pruneEvents(tenant: string, before: number): Promise<number>;
  /** Waits for pending commits. Later calls of any method reject with StorageUnavailable. */
  close(): Promise<void>;
}

/** The reads of a storage that handlers use, without those of JSON. */
export type StorageReads = Pick<
  Storage,
  "get" | "list" | "activeOpportunities" | "search" | "count" | "openTotals" | "settingsVersion" | "eventsFrom"
>;

/** The methods of a storage that handlers and their commits need. */
export type HandlerStorage = StorageReads & Pick<Storage, "getJson" | "listJson" | "commit">;

/** Returns `getJson` and `listJson` of a storage that reads JSON no faster than records. */
export function deriveJsonReads(storage: Pick<Storage, "get" | "list">): Pick<Storage, "getJson" | "listJson"> {
  return {
    async getJson(tenant, kind, id) {
      const record = await storage.get(tenant, kind, id);
      return record?.archivedAt === null ? toJsonText(models[kind], record) : undefined;
    },
    async listJson(tenant, kind, query) {
      const records = await storage.list(tenant, kind, query);
      return records.map((record) => toJsonText(models[kind], record));
    },
  };
}

/** A rejected commit. None of its writes was applied. */
export class WriteConflict extends Error {
  /**
   * `duplicate`: another record has the ID or a unique value. `stale`: the record or the settings of the tenant changed
   * since they were read, or a record was written that matches `none`.
   */
  readonly reason: "duplicate" | "stale";
  readonly kind: Kind;
  /** The field that conflicts: `id`, a unique field, or `settingsVersion` (of the kind `tenant`). */
  readonly field: string;
  /** ID of the stored record that conflicts. */
  readonly id: string;

  constructor(reason: "duplicate" | "stale", kind: Kind, field: string, id: string) {
    super(`${kind} ${id}: ${field} is ${reason}`);
    this.name = "WriteConflict";
    this.reason = reason;
    this.kind = kind;
    this.field = field;
    this.id = id;
  }
}

/** The storage can't be used: it is locked, closed or out of space. It is unknown whether a commit was applied. */
export class StorageUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StorageUnavailable";
  }
}

/** The storage has no search index. */
export class SearchOff extends Error {
  constructor() {
    super("The search index is switched off.");
    this.name = "SearchOff";
  }
}

/** More records match than a list sorts. */
export class TooManyMatches extends Error {
  constructor() {
    super("Too many records match.");
    this.name = "TooManyMatches";
  }
}

/**
 * Returns the tenant clock after a commit at `at`. Adapters call it before they apply the writes.
 * @throws TypeError if the `updatedAt` of a record isn't `at`, except in the commit that creates the tenant
 */
export function advanceClock(at: number, writes: readonly Write[]): number {
  const createsTenant = writes.some((write) => write.kind === "tenant" && write.op === "insert");
  let last = at;
  for (const { kind, record } of writes) {
    if (!createsTenant && record.updatedAt !== at) throw new TypeError(`${kind} ${record.id}: updatedAt must be ${at}`);
    last = Math.max(last, record.updatedAt);
  }
  return last;
}

/**
 * Checks the condition `settingsVersion`. Adapters call it before they apply the writes.
 * @throws WriteConflict if the tenant has another settings version
 */
export function assertSettingsVersion(tenant: string, current: number, conditions?: CommitConditions): void {
  const conflict = settingsConflict(tenant, current, conditions);
  if (conflict !== undefined) throw conflict;
}

/** Returns the error of a commit with the condition `settingsVersion`, if the tenant has another version. */
export function settingsConflict(tenant: string, current: number, conditions: CommitConditions = {}) {
  const { settingsVersion = current } = conditions;
  return settingsVersion === current ? undefined : new WriteConflict("stale", "tenant", "settingsVersion", tenant);
}

/** Returns the error of a commit with the condition `none`, if this record matches. */
export function matchConflict({ kind }: NoMatch, id: string): WriteConflict {
  return new WriteConflict("stale", kind, "id", id);
}

/** Whether the kind is a setting of a tenant, such as a custom field, a user or an API key. */
export function isSetting(kind: Kind): boolean {
  return hasEvents(kind) && !entityKinds.some((each) => each === kind);
}

/** Whether a commit changes the settings of the tenant. Storages then set the settings version to the commit time. */
export function changesSettings(writes: readonly Write[]): boolean {
  return writes.some(({ kind }) => isSetting(kind));
}
