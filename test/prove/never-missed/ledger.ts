import { wrapStorage } from "../../../lib/index.ts";
import { type Entity, entityKinds } from "../../../lib/model/entities.ts";
import { type Kind, models } from "../../../lib/model/kinds.ts";
import { type BaseRecord, type Model, toJsonObject } from "../../../lib/model/model.ts";
import type { Storage, Write } from "../../../lib/storage/storage.ts";

/** The kinds whose lists come in pages. */
export const kinds = entityKinds;
export type Synced = Entity;

/** A record as the API shows it. */
export type Shown = Readonly<Record<string, unknown>> & { readonly id: string; readonly updatedAt: string };

/**
 * A position in a list, as text: `updatedAt`, a space, `id`. It sorts as (updatedAt, id) does. Without an ID it is the
 * position before all records with that `updatedAt`; "" is the position before everything.
 */
export type Position = string;

export function positionOf({ updatedAt, id }: Shown): Position {
  return `${updatedAt} ${id}`;
}

/** A running commit, with its writes and its time as far as they are known. */
type Entry = {
  readonly tenant: string;
  at?: number;
  writes?: readonly Write[];
  isMade: boolean;
  readonly over: PromiseWithResolvers<void>;
};

/**
 * The writes of all commits of a storage, in order. Every client must receive them. The ledger sees commits only, not
 * how lists are read.
 */
export class Ledger {
  /** Violations: commits and pages that are wrong. */
  readonly faults: string[] = [];
  commits = 0;
  readonly #clocks = new Map<string, number>();
  readonly #latest = new Map<string, Shown>();
  /** Every version of every record, by kind and position. */
  readonly #versions = new Map<string, string>();
  readonly #lists = new Map<string, Set<string>>();
  readonly #running = new Set<Entry>();

  /** Returns an independent copy. */
  copy(): Ledger {
    const copy = new Ledger();
    for (const [tenant, last] of this.#clocks) copy.#clocks.set(tenant, last);
    for (const [id, shown] of this.#latest) copy.#latest.set(id, shown);
    for (const [name, text] of this.#versions) copy.#versions.set(name, text);
    for (const [list, ids] of this.#lists) copy.#lists.set(list, new Set(ids));
    return copy;
  }

  /** Returns a storage whose commits are added to this ledger, and whose lists are checked for uncommitted rows. */
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
        for (const position of this.#unknown(kind, rows))
          this.faults.push(`${kind} ${position} was returned uncommitted`);
        return rows;
      },
      commit: async (tenant, now, propose, conditions) => {
        const entry: Entry = { tenant, isMade: false, over: Promise.withResolvers() };
        this.#running.add(entry);
        const proposeEntered = (at: number) => {
          const writes = propose(at);
          Object.assign(entry, { at, writes });
          return writes;
        };
        const committed = storage.commit(tenant, now, proposeEntered, conditions);
        await committed.then(
          () => {
            entry.isMade = true;
          },
          () => this.#end(entry),
        );
        this.#enterAll(tenant);
        await Promise.all([committed, entry.over.promise]);
      },
    });
  }

  /** Waits for all running commits. A read can contain a commit whose response has not arrived yet. */
  async #heard(): Promise<void> {
    await Promise.all([...this.#running].map(({ over }) => over.promise));
  }

  /** Returns the positions of rows that were never committed. */
  #unknown(kind: Kind, rows: readonly BaseRecord[]): Position[] {
    const positions = isSynced(kind)
      ? rows.map((row) => positionOf(toJsonObject(models[kind] as Model, row) as Shown))
      : [];
    return positions.filter((position) => !this.#versions.has(`${kind} ${position}`));
  }

  /** Adds finished commits. A commit waits for those with an earlier time, whose responses can arrive after its own. */
  #enterAll(tenant: string): void {
    const open = [...this.#running].filter((each) => each.tenant === tenant);
    const made = open.filter(({ isMade }) => isMade).sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
    const uncommittedTimes = open.flatMap(({ isMade, at }) => (isMade || at === undefined ? [] : [at]));
    for (const entry of made) {
      const { at = 0, writes = [] } = entry;
      if (uncommittedTimes.some((earlier) => earlier < at)) return;
      if (writes.length > 0) this.#enter(tenant, at, writes);
      this.#end(entry);
    }
  }

  #end(entry: Entry): void {
    this.#running.delete(entry);
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
      this.faults.push(`${kind} ${positionOf(shown)} has a new updatedAt without a change`);
    }
    this.#latest.set(shown.id, shown);
    this.#versions.set(`${kind} ${positionOf(shown)}`, JSON.stringify(shown));
    const list = `${tenant} ${kind}`;
    this.#lists.set(list, (this.#lists.get(list) ?? new Set()).add(shown.id));
  }

  /** Returns whether exactly this state was committed. */
  has(kind: Synced, shown: Shown): boolean {
    return this.#versions.get(`${kind} ${positionOf(shown)}`) === JSON.stringify(shown);
  }

  /** Returns the current records of a list, in list order. */
  records(tenant: string, kind: Synced): Shown[] {
    const ids = [...(this.#lists.get(`${tenant} ${kind}`) ?? [])];
    const records = ids.flatMap((id) => this.#latest.get(id) ?? []);
    return records.sort((a, b) => (positionOf(a) < positionOf(b) ? -1 : 1));
  }
}

function isSynced(kind: Kind): kind is Synced {
  return (kinds as readonly string[]).includes(kind);
}
