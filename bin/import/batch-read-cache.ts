import { cachedReads, type Storage, wrapStorage } from "#lib";
import type { Entity } from "./column-target.ts";

type Reads = Pick<Storage, "get" | "list" | "activeOpportunities" | "search">;

/** A storage with a read cache for one batch of rows. It covers all kinds except the imported entity. */
export class BatchReadCache {
  readonly storage: Storage;
  readonly #uncached: Reads;
  readonly #entity: Entity;
  #reads: ReturnType<typeof cachedReads>;

  /** @param uncached the storage, or an overlay of it in a dry run */
  constructor(storage: Storage, uncached: Reads, entity: Entity, { commit }: Pick<Storage, "commit">) {
    this.#uncached = uncached;
    this.#entity = entity;
    this.#reads = cachedReads(uncached, entity);
    this.storage = wrapStorage(storage, {
      get: (...parameters) => this.#reads.get(...parameters),
      list: (...parameters) => this.#reads.list(...parameters),
      commit,
    });
  }

  /** Clears the cache. */
  nextBatch(): void {
    this.#reads = cachedReads(this.#uncached, this.#entity);
  }
}
