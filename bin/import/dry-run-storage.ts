import { type AnyRecord, type Kind, models, type Storage, type Write, WriteConflict } from "#lib";
import type { Entity } from "./target.ts";

type Values = Readonly<Record<string, unknown>>;

/**
 * A storage that takes commits and keeps them for itself: nothing is written, and the rows of a file meet each other
 * as they would. It remembers ids and unique values of all rows, whole records only where `lookedUpBy` is told: then a
 * later row may mean one that an earlier row has made.
 */
export function dryRunStorage(storage: Storage, entity: Entity, lookedUpBy: string | undefined): Storage {
  const kept = new Kept(storage, entity, lookedUpBy);
  let [last, lastAt]: [Promise<void>, number] = [Promise.resolve(), 0];
  return {
    get: (tenant, kind, id) => (kind === entity ? kept.get(tenant, id) : storage.get(tenant, kind, id)) as never,
    list: (tenant, kind, query) => {
      const where = Object.entries(query.where ?? {});
      return (kind === entity ? kept.find(tenant, where) : storage.list(tenant, kind, query)) as never;
    },
    commit(tenant, now, propose) {
      // One after the other, as real commits are.
      const done = last.then(async () => {
        // As in the tenant, each instant is later than all before: that is how a change is told.
        lastAt = Math.max(now, lastAt + 1);
        const was = propose(lastAt).map((write) => (write.op === "update" ? write.expectedUpdatedAt : 0));
        lastAt = Math.max(lastAt, ...was.map((at) => at + 1));
        for (const write of propose(lastAt)) await kept.put(tenant, write);
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
}

/** What the rows so far would have made and changed. */
class Kept {
  readonly #storage: Storage;
  readonly #entity: Entity;
  readonly #lookedUpBy: string | undefined;
  readonly #folds: ReadonlyMap<string, (value: string) => string>;
  readonly #ids = new Set<string>();
  readonly #records = new Map<string, AnyRecord>();
  /** Field and folded value, and who has it. */
  readonly #holders = new Map<string, Set<string>>();

  constructor(storage: Storage, entity: Entity, lookedUpBy: string | undefined) {
    this.#storage = storage;
    this.#entity = entity;
    this.#lookedUpBy = lookedUpBy;
    const uniques = Object.entries(models[entity].fields).flatMap(([name, field]) => {
      const { unique } = field as { unique?: (value: string) => string };
      return unique === undefined ? [] : [[name, unique] as const];
    });
    this.#folds = new Map(uniques);
  }

  async get(tenant: string, id: string): Promise<AnyRecord | undefined> {
    return this.#records.get(id) ?? (await this.#storage.get(tenant, this.#entity as Kind, id));
  }

  /** The records that have this value, by one field at a time: the rows of an import ask for nothing else. */
  async find(tenant: string, [asked, ...more]: readonly [string, unknown][]): Promise<readonly AnyRecord[]> {
    if (asked === undefined || more.length > 0) throw new TypeError("A dry run looks records up by one value.");
    const [field, value] = asked;
    const there = await this.#storage.list(tenant, this.#entity as Kind, {
      where: { [field]: String(value) },
      limit: 3,
    });
    const own = [...(this.#holders.get(this.#nameOf(field, value)) ?? [])];
    const mine = own.flatMap((id) => this.#records.get(id) ?? []);
    return [...there.filter(({ id }) => !this.#records.has(id)), ...mine];
  }

  /** @throws WriteConflict as the real storage would */
  async put(tenant: string, { op, kind, record }: Write): Promise<void> {
    if (kind !== this.#entity) throw new TypeError(`An import of ${this.#entity} records wrote a ${kind}.`);
    for (const field of this.#folds.keys()) await this.#assertFree(tenant, field, record);
    const isThere = op === "insert" && (this.#ids.has(record.id) || (await this.get(tenant, record.id)) !== undefined);
    if (isThere) throw new WriteConflict("duplicate", kind, "id", record.id);
    this.#forget(record.id);
    this.#ids.add(record.id);
    for (const field of this.#fields()) this.#hold(field, record);
    if (this.#lookedUpBy !== undefined) this.#records.set(record.id, record);
  }

  async #assertFree(tenant: string, field: string, record: AnyRecord): Promise<void> {
    const value = (record as unknown as Values)[field];
    if (typeof value !== "string") return;
    const own = [...(this.#holders.get(this.#nameOf(field, value)) ?? [])].find((id) => id !== record.id);
    const where = { [field]: value };
    const [there] =
      own === undefined ? await this.#storage.list(tenant, this.#entity as Kind, { where, limit: 1 }) : [];
    const other = own ?? (there !== undefined && !this.#records.has(there.id) ? there.id : undefined);
    if (other !== undefined && other !== record.id)
      throw new WriteConflict("duplicate", this.#entity as Kind, field, other);
  }

  #fields(): ReadonlySet<string> {
    return new Set([...this.#folds.keys(), ...(this.#lookedUpBy === undefined ? [] : [this.#lookedUpBy])]);
  }

  #hold(field: string, record: AnyRecord): void {
    const value = (record as unknown as Values)[field];
    if (typeof value !== "string") return;
    const name = this.#nameOf(field, value);
    const holders = this.#holders.get(name);
    if (holders === undefined) this.#holders.set(name, new Set([record.id]));
    else holders.add(record.id);
  }

  /** A record that changes lets go of the values that it had. */
  #forget(id: string): void {
    const before = this.#records.get(id) as unknown as Values | undefined;
    if (before === undefined) return;
    for (const field of this.#fields()) this.#holders.get(this.#nameOf(field, before[field]))?.delete(id);
  }

  #nameOf(field: string, value: unknown): string {
    return `${field}\0${this.#folds.get(field)?.(String(value)) ?? String(value)}`;
  }
}
