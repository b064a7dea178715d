import { type AnyRecord, jsonReads, type Kind, models, type Storage, type Write, WriteConflict } from "#lib";
import type { Entity } from "./target.ts";

type Values = Readonly<Record<string, unknown>>;

/**
 * Creates a storage that holds commits in memory, so that rows of a dry run see earlier rows. It stores the IDs and unique
 * values of all rows. It stores complete records only with `upsertBy`, because a later row can then update them.
 */
export function dryRunStorage(storage: Storage, entity: Entity, upsertBy: string | undefined): Storage {
  const pending = new PendingRecords(storage, entity, upsertBy);
  let [last, lastAt]: [Promise<void>, number] = [Promise.resolve(), 0];
  const methods: Omit<Storage, "getJson" | "listJson"> = {
    get: (tenant, kind, id) => (kind === entity ? pending.get(tenant, id) : storage.get(tenant, kind, id)) as never,
    list: (tenant, kind, query) => {
      const where = Object.entries(query.where ?? {});
      return (kind === entity ? pending.find(tenant, where) : storage.list(tenant, kind, query)) as never;
    },
    commit(tenant, now, propose) {
      // Commits run one after the other, as in a real storage.
      const done = last.then(async () => {
        // Commit times must increase, because they are the versions of the records.
        lastAt = Math.max(now, lastAt + 1);
        const expected = propose(lastAt).map((write) => (write.op === "update" ? write.expectedUpdatedAt : 0));
        lastAt = Math.max(lastAt, ...expected.map((at) => at + 1));
        for (const write of propose(lastAt)) await pending.put(tenant, write);
      });
      last = done.catch(() => {});
      return done;
    },
    activeOpportunities: (tenant, emailKeys, limit) => storage.activeOpportunities(tenant, emailKeys, limit),
    findApiKey: (hash) => storage.findApiKey(hash),
    listTenants: () => storage.listTenants(),
    cursorSecret: () => storage.cursorSecret(),
    pruneIdempotencyRecords: async () => 0,
    close: () => storage.close(),
  };
  return { ...jsonReads(methods), ...methods };
}

/** The records that earlier rows would have created or updated. */
class PendingRecords {
  readonly #storage: Storage;
  readonly #entity: Entity;
  readonly #upsertBy: string | undefined;
  readonly #normalizers: ReadonlyMap<string, (value: string) => string>;
  readonly #ids = new Set<string>();
  readonly #records = new Map<string, AnyRecord>();
  /** Record IDs by field and normalized value. */
  readonly #idsByValue = new Map<string, Set<string>>();

  constructor(storage: Storage, entity: Entity, upsertBy: string | undefined) {
    this.#storage = storage;
    this.#entity = entity;
    this.#upsertBy = upsertBy;
    const uniques = Object.entries(models[entity].fields).flatMap(([name, field]) => {
      const { unique } = field as { unique?: (value: string) => string };
      return unique === undefined ? [] : [[name, unique] as const];
    });
    this.#normalizers = new Map(uniques);
  }

  async get(tenant: string, id: string): Promise<AnyRecord | undefined> {
    return this.#records.get(id) ?? (await this.#storage.get(tenant, this.#entity as Kind, id));
  }

  /** Finds records by one field. An import has no other queries. */
  async find(tenant: string, [filter, ...more]: readonly [string, unknown][]): Promise<readonly AnyRecord[]> {
    if (filter === undefined || more.length > 0) throw new TypeError("A dry run supports one filter.");
    const [field, value] = filter;
    const stored = await this.#storage.list(tenant, this.#entity as Kind, {
      where: { [field]: String(value) },
      limit: 3,
    });
    const ids = [...(this.#idsByValue.get(this.#keyOf(field, value)) ?? [])];
    const pending = ids.flatMap((id) => this.#records.get(id) ?? []);
    return [...stored.filter(({ id }) => !this.#records.has(id)), ...pending];
  }

  /** @throws WriteConflict under the same conditions as a real storage */
  async put(tenant: string, { op, kind, record }: Write): Promise<void> {
    if (kind !== this.#entity) throw new TypeError(`An import of ${this.#entity} records wrote a ${kind}.`);
    for (const field of this.#normalizers.keys()) await this.#assertUnique(tenant, field, record);
    const exists = op === "insert" && (this.#ids.has(record.id) || (await this.get(tenant, record.id)) !== undefined);
    if (exists) throw new WriteConflict("duplicate", kind, "id", record.id);
    this.#unindex(record.id);
    this.#ids.add(record.id);
    for (const field of this.#fields()) this.#index(field, record);
    if (this.#upsertBy !== undefined) this.#records.set(record.id, record);
  }

  async #assertUnique(tenant: string, field: string, record: AnyRecord): Promise<void> {
    const value = (record as unknown as Values)[field];
    if (typeof value !== "string") return;
    const pendingId = [...(this.#idsByValue.get(this.#keyOf(field, value)) ?? [])].find((id) => id !== record.id);
    const where = { [field]: value };
    const [stored] =
      pendingId === undefined ? await this.#storage.list(tenant, this.#entity as Kind, { where, limit: 1 }) : [];
    const other = pendingId ?? (stored !== undefined && !this.#records.has(stored.id) ? stored.id : undefined);
    if (other !== undefined && other !== record.id)
      throw new WriteConflict("duplicate", this.#entity as Kind, field, other);
  }

  #fields(): ReadonlySet<string> {
    return new Set([...this.#normalizers.keys(), ...(this.#upsertBy === undefined ? [] : [this.#upsertBy])]);
  }

  #index(field: string, record: AnyRecord): void {
    const value = (record as unknown as Values)[field];
    if (typeof value !== "string") return;
    const key = this.#keyOf(field, value);
    const ids = this.#idsByValue.get(key);
    if (ids === undefined) this.#idsByValue.set(key, new Set([record.id]));
    else ids.add(record.id);
  }

  /** Removes the previous values of a record. */
  #unindex(id: string): void {
    const before = this.#records.get(id) as unknown as Values | undefined;
    if (before === undefined) return;
    for (const field of this.#fields()) this.#idsByValue.get(this.#keyOf(field, before[field]))?.delete(id);
  }

  #keyOf(field: string, value: unknown): string {
    return `${field}\0${this.#normalizers.get(field)?.(String(value)) ?? String(value)}`;
  }
}
