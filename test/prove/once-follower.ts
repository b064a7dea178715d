import assert from "node:assert/strict";
import { base, type World } from "./once-client.ts";

/** The lists that a sync walks. */
export const lists = ["accounts", "contacts", "opportunities", "tasks"] as const;
export type List = (typeof lists)[number];

/** A record as the API shows it. */
export type Shown = Readonly<Record<string, unknown>> & { readonly id: string; readonly updatedAt: string };

type Page = { readonly data: readonly Shown[]; readonly nextCursor: string | null; readonly since: string };

/** Syncs as docs/concepts/sync.md describes: stores the watermark after each page, and the records it saw. */
export class Follower {
  /** Every record, as it was last seen. */
  readonly seen = new Map<string, Shown>();
  pages = 0;
  readonly #world: World;
  readonly #keys: readonly string[];
  readonly #since = new Map<List, string>();

  /** With keys in turn, so that no rate ends the walk. */
  constructor(world: World, keys: readonly string[]) {
    this.#world = world;
    this.#keys = keys;
  }

  /** Walks on and on, now and then leaves a walk in the middle to take it up again from what it stored. */
  async follow(isOver: () => boolean): Promise<void> {
    while (!isOver()) for (const list of lists) await this.#walk(list, 0.3);
  }

  /** Walks each list to its end. */
  async finish(): Promise<void> {
    for (const list of lists) while (!(await this.#walk(list, 0)));
  }

  /** Whether it came to the end. It leaves the walk where the connection breaks, or by chance. */
  async #walk(list: List, leaves: number): Promise<boolean> {
    const since = this.#since.get(list);
    let query = since === undefined ? "" : `updatedSince=${encodeURIComponent(since)}`;
    let last: Shown | undefined;
    for (;;) {
      const page = await this.#page(list, query);
      if (page === undefined) return false;
      for (const record of page.data) {
        assert.ok(last === undefined || isBefore(last, record), `${record.id} is out of order`);
        this.seen.set(record.id, record);
        last = record;
      }
      this.#since.set(list, page.since);
      if (page.nextCursor === null) return true;
      if (this.#world.roll() < leaves) return false;
      query = `cursor=${page.nextCursor}`;
    }
  }

  async #page(list: List, query: string): Promise<Page | undefined> {
    const { lives, roll, signal } = this.#world;
    const { url } = await lives.now();
    const limit = 1 + Math.floor(roll() * 100);
    const headers = { "x-api-key": this.#keys[this.pages % this.#keys.length] ?? "" };
    try {
      const path = `${url}${base}/${list}?limit=${limit}&includeArchived=true&${query}`;
      const response = await fetch(path, { headers, signal });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      this.pages++;
      return { ...JSON.parse(text), since: response.headers.get("x-next-updated-since") };
    } catch (error) {
      if (signal.aborted || error instanceof assert.AssertionError) throw error;
      return undefined;
    }
  }
}

function isBefore(one: Shown, other: Shown): boolean {
  return one.updatedAt < other.updatedAt || (one.updatedAt === other.updatedAt && one.id < other.id);
}
