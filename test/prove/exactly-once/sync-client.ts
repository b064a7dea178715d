import assert from "node:assert/strict";
import { entityModels } from "../../../lib/model/entities.ts";
import { sendHttp } from "../../support/http-request.ts";
import { base, type ClientOptions } from "./client.ts";

/** The lists of a sync. */
export const lists = Object.values(entityModels).map(({ plural }) => plural);
export type List = (typeof lists)[number];

/** A record of a response. */
export type Shown = Readonly<Record<string, unknown>> & { readonly id: string; readonly updatedAt: string };

type Page = { readonly data: readonly Shown[]; readonly nextCursor: string | null; readonly since: string };

/** Syncs as docs/concepts/sync.md describes: stores the watermark after each page, and the records. */
export class Follower {
  /** The last version of every record. */
  readonly seen = new Map<string, Shown>();
  pages = 0;
  readonly #options: ClientOptions;
  readonly #keys: readonly string[];
  readonly #since = new Map<List, string>();

  /** Uses the API keys in turn, so that the rate limit ends no sync. */
  constructor(options: ClientOptions, keys: readonly string[]) {
    this.#options = options;
    this.#keys = keys;
  }

  /** Syncs repeatedly, and sometimes stops in the middle and resumes from the stored watermark. */
  async follow(isDone: () => boolean): Promise<void> {
    while (!isDone()) for (const list of lists) await this.#syncList(list, 0.3);
  }

  /** Syncs each list to its end. */
  async finish(): Promise<void> {
    for (const list of lists) while (!(await this.#syncList(list, 0)));
  }

  /** Syncs a list. Returns whether it reached the end. It stops if the connection breaks, or by chance. */
  async #syncList(list: List, leaves: number): Promise<boolean> {
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
      if (this.#options.random() < leaves) return false;
      query = `cursor=${page.nextCursor}`;
    }
  }

  async #page(list: List, query: string): Promise<Page | undefined> {
    const { servers, random, signal } = this.#options;
    const { url } = await servers.now();
    const limit = 1 + Math.floor(random() * 100);
    const headers = { "x-api-key": this.#keys[this.pages % this.#keys.length] ?? "" };
    try {
      const path = `${url}${base}/${list}?limit=${limit}&includeArchived=true&${query}`;
      const { status, headers: got, text } = await sendHttp(path, { method: "GET", headers, signal });
      assert.equal(status, 200, text);
      this.pages++;
      return { ...JSON.parse(text), since: got.get("x-next-updated-since") };
    } catch (error) {
      if (signal.aborted || error instanceof assert.AssertionError) throw error;
      return undefined;
    }
  }
}

function isBefore(one: Shown, other: Shown): boolean {
  return one.updatedAt < other.updatedAt || (one.updatedAt === other.updatedAt && one.id < other.id);
}
