import { wrapStorage } from "../../../lib/index.ts";
import { type Kind, models } from "../../../lib/model/kinds.ts";
import { type BaseRecord, type Model, toJsonObject } from "../../../lib/model/model.ts";
import type { Storage, Write } from "../../../lib/storage/storage.ts";

/** The kinds whose lists come in pages. */
export const kinds = ["account", "contact", "opportunity", "task"] as const;
export type Synced = (typeof kinds)[number];

/** A record as the API shows it. */
export type Shown = Readonly<Record<string, unknown>> & { readonly id: string; readonly updatedAt: string };

/**
 * A place in the order of a list, as text: `updatedAt`, a blank, `id`. Text compares as (updatedAt, id) does; without
 * an id it is the place before everything of that instant, and "" the place before everything.
 */
export type Place = string;

export function placeOf({ updatedAt, id }: Shown): Place {
  return `${updatedAt} ${id}`;
}

/** A commit that is not heard of yet: what it would write, and when, as far as that is known. */
type Entry = {
  readonly tenant: string;
  at?: number;
  writes?: readonly Write[];
  isMade: boolean;
  readonly over: PromiseWithResolvers<void>;
};

/**
 * What the commits of a storage wrote, in the order in which they were made: what every client must come to hold. It
 * hears of commits only, and knows nothing of how lists are read.
 */
export class Ledger {
  /** What no commit and no page may do, where one did. */
  readonly faults: string[] = [];
  commits = 0;
  readonly #clocks = new Map<string, number>();
  readonly #latest = new Map<string, Shown>();
  /** Every version of every record, under its kind and place. */
  readonly #versions = new Map<string, string>();
  readonly #lists = new Map<string, Set<string>>();
  readonly #isRemote: boolean;
  readonly #underway = new Set<Entry>();

  /**
   * @param isRemote whether an answer may overtake another on its way: that of a commit the one of the commit before
   * it, that of a read the one of the commit that it shows. Both are then heard of in their order.
   */
  constructor(isRemote = false) {
    this.#isRemote = isRemote;
  }

  /** A ledger that goes on from here by itself. */
  copy(): Ledger {
    const copy = new Ledger(this.#isRemote);
    for (const [tenant, last] of this.#clocks) copy.#clocks.set(tenant, last);
    for (const [id, shown] of this.#latest) copy.#latest.set(id, shown);
    for (const [name, text] of this.#versions) copy.#versions.set(name, text);
    for (const [list, ids] of this.#lists) copy.#lists.set(list, new Set(ids));
    return copy;
  }

  /** The storage, with every commit entered here, and no row shown that was not committed. */
  watched(storage: Storage): Storage {
    return wrapStorage(storage, {
      get: async (tenant, kind, id) => {
        const row = await storage.get(tenant, kind, id);
        await this.#heard();
        return row;
      },
      list: async (tenant, kind, query) => {
        const rows = await storage.list(tenant, kind, query);
        await this.#heard();
        for (const place of this.#unknown(kind, rows)) this.faults.push(`${kind} ${place} was shown uncommitted`);
        return rows;
      },
      commit: async (tenant, now, propose, conditions) => {
        const entry: Entry = { tenant, isMade: false, over: Promise.withResolvers() };
        this.#underway.add(entry);
        const proposeEntered = (at: number) => {
          const writes = propose(at);
          Object.assign(entry, { at, writes });
          return writes;
        };
        const made = storage.commit(tenant, now, proposeEntered, conditions);
        await made.then(
          () => {
            entry.isMade = true;
          },
          () => this.#end(entry),
        );
        this.#enterAll(tenant);
        await Promise.all([made, entry.over.promise]);
      },
    });
  }

  /**
   * Where an answer may be overtaken: once all is heard of that may be seen now, be it that a record is there, that it is
   * no more where it was, or that a POST was done before.
   */
  async #heard(): Promise<void> {
    if (this.#isRemote) await Promise.all([...this.#underway].map(({ over }) => over.promise));
  }

  /** The places of these rows that were never committed. */
  #unknown(kind: Kind, rows: readonly BaseRecord[]): Place[] {
    const places = isSynced(kind) ? rows.map((row) => placeOf(toJsonObject(models[kind] as Model, row) as Shown)) : [];
    return places.filter((place) => !this.#versions.has(`${kind} ${place}`));
  }

  /** Enters what was made; where an answer may be overtaken, none before one that has an earlier instant. */
  #enterAll(tenant: string): void {
    const open = [...this.#underway].filter((each) => each.tenant === tenant);
    const made = open.filter(({ isMade }) => isMade).sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
    const unmade = open.flatMap(({ isMade, at }) => (isMade || at === undefined ? [] : [at]));
    for (const entry of made) {
      const { at = 0, writes = [] } = entry;
      if (this.#isRemote && unmade.some((earlier) => earlier < at)) return;
      if (writes.length > 0) this.#enter(tenant, at, writes);
      this.#end(entry);
    }
  }

  #end(entry: Entry): void {
    this.#underway.delete(entry);
    entry.over.resolve();
  }

  #enter(tenant: string, at: number, writes: readonly Write[]): void {
    const last = this.#clocks.get(tenant) ?? 0;
    if (at <= last) this.faults.push(`a commit of ${tenant} was made at ${at}, after one at ${last}`);
    this.#clocks.set(tenant, Math.max(last, at, ...writes.map(({ record }) => record.updatedAt)));
    this.commits++;
    for (const { kind, record } of writes) if (isSynced(kind)) this.#version(tenant, kind, record);
  }

  #version(tenant: string, kind: Synced, record: BaseRecord): void {
    const shown = toJsonObject(models[kind] as Model, record) as Shown;
    const before = this.#latest.get(shown.id);
    if (before !== undefined && JSON.stringify({ ...before, updatedAt: shown.updatedAt }) === JSON.stringify(shown)) {
      this.faults.push(`${kind} ${placeOf(shown)} was moved though nothing of it had changed`);
    }
    this.#latest.set(shown.id, shown);
    this.#versions.set(`${kind} ${placeOf(shown)}`, JSON.stringify(shown));
    const list = `${tenant} ${kind}`;
    this.#lists.set(list, (this.#lists.get(list) ?? new Set()).add(shown.id));
  }

  /** Whether this was committed, exactly so. */
  has(kind: Synced, shown: Shown): boolean {
    return this.#versions.get(`${kind} ${placeOf(shown)}`) === JSON.stringify(shown);
  }

  /** Every record of a list as it is now, in the order of their places. */
  records(tenant: string, kind: Synced): Shown[] {
    const ids = [...(this.#lists.get(`${tenant} ${kind}`) ?? [])];
    const records = ids.flatMap((id) => this.#latest.get(id) ?? []);
    return records.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  }
}

function isSynced(kind: Kind): kind is Synced {
  return (kinds as readonly string[]).includes(kind);
}
