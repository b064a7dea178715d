import { type Kind, models, type Records } from "../model/kinds.ts";
import type { Model } from "../model/model.ts";
import { compareListed, countListed, matchesQuery, normalizeValue, type RecordValues } from "./query-matching.ts";
import {
  advanceClock,
  assertSettingsVersion,
  type CommitConditions,
  changesSettings,
  deriveJsonReads,
  type HandlerStorage,
  matchConflict,
  type Query,
  type Storage,
  type StorageReads,
  type Write,
  WriteConflict,
} from "./storage.ts";

type Propose = (at: number) => readonly Write[];

/**
 * Creates an overlay: its reads see its commits, which stay in memory and never reach the storage below. A commit fails
 * as in the storage below. It doesn't check that referenced records exist. `activeOpportunities`, `search`, `count`,
 * `openTotals` and `eventsFrom` only see the storage below.
 */
export function overlayStorage(base: StorageReads): HandlerStorage {
  return new OverlayStorage(base);
}

/** The records of one kind of one tenant that commits inserted or updated. */
class PendingRecords {
  readonly records = new Map<string, RecordValues>();
  /** Number of the records that the storage below has as well. */
  replaced = 0;
  /** IDs by normalized value, of the fields that a query used. A record also has its earlier values. */
  readonly #indexes = new Map<string, Map<string, Set<string>>>();
  readonly #kind: Kind;

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  set(record: RecordValues, isUpdate: boolean): void {
    const before = this.records.get(record.id);
    if (before === undefined && isUpdate) this.replaced++;
    this.records.set(record.id, record);
    for (const [field, index] of this.#indexes) {
      addTo(index, this.#keyOf(record, field), record.id);
    }
  }

  /** Returns the records that match a query. A filter by a field of the record uses an index. */
  find(query: Query): RecordValues[] {
    const [[field, wanted] = []] = Object.entries(query.where ?? {}).filter(([name]) => name in fieldsOf(this.#kind));
    const candidates =
      field === undefined
        ? [...this.records.values()]
        : [...(this.#indexOf(field).get(normalizeValue(this.#kind, field, wanted)) ?? [])].flatMap(
            (id) => this.records.get(id) ?? [],
          );
    return candidates.filter((record) => matchesQuery(this.#kind, record, query));
  }

  #indexOf(field: string): Map<string, Set<string>> {
    const existing = this.#indexes.get(field);
    if (existing !== undefined) return existing;
    const index = new Map<string, Set<string>>();
    for (const record of this.records.values()) addTo(index, this.#keyOf(record, field), record.id);
    this.#indexes.set(field, index);
    return index;
  }

  #keyOf(record: RecordValues, field: string): string {
    return normalizeValue(this.#kind, field, record[field]);
  }
}

class OverlayStorage implements HandlerStorage {
  readonly #base: StorageReads;
  readonly #pending = new Map<string, PendingRecords>();
  readonly #clocks = new Map<string, number>();
  readonly #settingsVersions = new Map<string, number>();
  readonly #json = deriveJsonReads(this);
  readonly getJson = this.#json.getJson;
  readonly listJson = this.#json.listJson;
  #last: Promise<unknown> = Promise.resolve();

  constructor(base: StorageReads) {
    this.#base = base;
  }

  async get<K extends Kind>(tenant: string, kind: K, id: string): Promise<Records[K] | undefined> {
    const pending = this.#of(tenant, kind).records.get(id) as unknown as Records[K] | undefined;
    return pending ?? this.#base.get(tenant, kind, id);
  }

  async list<K extends Kind>(tenant: string, kind: K, query: Query): Promise<readonly Records[K][]> {
    const pending = this.#of(tenant, kind);
    const limit = query.limit === undefined ? {} : { limit: query.limit + pending.replaced };
    const stored = await this.#base.list(tenant, kind, { ...query, ...limit });
    const unchanged = stored.filter(({ id }) => !pending.records.has(id));
    const changed = pending.find(query) as unknown as Records[K][];
    const compare = (a: Records[K], b: Records[K]) =>
      compareListed(query, a as unknown as RecordValues, b as unknown as RecordValues);
    return [...unchanged, ...changed].sort(compare).slice(0, query.limit);
  }

  /** Commits run one after the other, as in a storage. */
  commit(tenant: string, now: number, propose: Propose, conditions?: CommitConditions): Promise<void> {
    const done = this.#last.then(() => this.#commit(tenant, now, propose, conditions));
    this.#last = done.catch(() => {});
    return done;
  }

  async #commit(tenant: string, now: number, propose: Propose, conditions?: CommitConditions): Promise<void> {
    let at = Math.max(now, (this.#clocks.get(tenant) ?? 0) + 1);
    // The clock of the storage below is at least at the time of the records that the commit updates.
    const expected = propose(at).map((write) => (write.op === "update" ? write.expectedUpdatedAt : 0));
    at = Math.max(at, ...expected.map((time) => time + 1));
    const writes = propose(at);
    const last = advanceClock(at, writes);
    await this.#assertConditions(tenant, conditions);
    // Nothing of a commit that fails is visible.
    const applied = new OverlayStorage(this);
    for (const write of writes) await applied.#apply(tenant, write);
    for (const write of writes) this.#set(tenant, write);
    if (writes.length > 0) this.#clocks.set(tenant, last);
    if (!changesSettings(writes)) return;
    // The clock of the storage below isn't known, but another version is needed.
    this.#settingsVersions.set(tenant, Math.max(last, (await this.settingsVersion(tenant)) + 1));
  }

  async settingsVersion(tenant: string): Promise<number> {
    return this.#settingsVersions.get(tenant) ?? this.#base.settingsVersion(tenant);
  }

  /** @throws WriteConflict if a condition doesn't hold */
  async #assertConditions(tenant: string, conditions: CommitConditions = {}): Promise<void> {
    const { settingsVersion, none } = conditions;
    if (settingsVersion !== undefined) assertSettingsVersion(tenant, await this.settingsVersion(tenant), conditions);
    const [match] = none === undefined ? [] : await this.list(tenant, none.kind, { where: none.where, limit: 1 });
    if (none !== undefined && match !== undefined) throw matchConflict(none, match.id);
  }

  /** @throws WriteConflict under the same conditions as a storage */
  async #apply(tenant: string, write: Write): Promise<void> {
    const { op, kind } = write;
    const record = write.record as unknown as RecordValues;
    const stored = await this.get(tenant, kind, record.id);
    if (op === "update" && stored?.updatedAt !== write.expectedUpdatedAt)
      throw new WriteConflict("stale", kind, "id", record.id);
    if (record.archivedAt === null) await this.#assertUnique(tenant, kind, record);
    if (op === "insert" && stored !== undefined) throw new WriteConflict("duplicate", kind, "id", record.id);
    this.#set(tenant, write);
  }

  #set(tenant: string, { op, kind, record }: Write): void {
    this.#of(tenant, kind).set(record as unknown as RecordValues, op === "update");
  }

  async #assertUnique(tenant: string, kind: Kind, record: RecordValues): Promise<void> {
    for (const [field, { unique, uniqueWithin }] of Object.entries(fieldsOf(kind))) {
      const value = record[field];
      if (unique === undefined || typeof value !== "string") continue;
      const within = uniqueWithin === undefined ? {} : { [uniqueWithin]: String(record[uniqueWithin]) };
      const found = await this.list(tenant, kind, { where: { [field]: value, ...within }, limit: 2 });
      const other = found.find(({ id }) => id !== record.id);
      if (other !== undefined) throw new WriteConflict("duplicate", kind, field, other.id);
    }
  }

  #of(tenant: string, kind: Kind): PendingRecords {
    const name = `${tenant} ${kind}`;
    const pending = this.#pending.get(name) ?? new PendingRecords(kind);
    this.#pending.set(name, pending);
    return pending;
  }

  activeOpportunities: Storage["activeOpportunities"] = (tenant, emailKeys, limit) =>
    this.#base.activeOpportunities(tenant, emailKeys, limit);

  search: Storage["search"] = (tenant, query) => this.#base.search(tenant, query);

  count: Storage["count"] = (...parameters) => countListed(this, ...parameters);

  openTotals: Storage["openTotals"] = (tenant, max) => this.#base.openTotals(tenant, max);

  eventsFrom: Storage["eventsFrom"] = (tenant) => this.#base.eventsFrom(tenant);
}

function fieldsOf(kind: Kind): Model["fields"] {
  return models[kind].fields;
}

function addTo(index: Map<string, Set<string>>, key: string, id: string): void {
  const ids = index.get(key);
  if (ids === undefined) index.set(key, new Set([id]));
  else ids.add(id);
}
