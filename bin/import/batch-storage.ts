import { jsonReads, type Kind, type Storage } from "#lib";
import type { Entity } from "./target.ts";

/**
 * A read cache for one batch of rows. It covers all kinds except the imported entity: catalog, rules, users, stages and
 * referenced records.
 */
export class BatchStorage {
  readonly storage: Storage;
  readonly #cache = new Map<string, Promise<unknown>>();

  constructor(storage: Storage, entity: Entity, overrides: Partial<Storage>) {
    const cached = <T>(kind: Kind, name: () => string, read: () => Promise<T>): Promise<T> => {
      return kind === entity ? read() : this.#getOrRead(`${kind} ${name()}`, read);
    };
    const methods: Omit<Storage, "getJson" | "listJson"> = {
      get: (tenant, kind, id) =>
        cached(
          kind,
          () => id,
          () => storage.get(tenant, kind, id),
        ),
      list: (tenant, kind, query) =>
        cached(
          kind,
          () => JSON.stringify(query),
          () => storage.list(tenant, kind, query),
        ),
      commit: (tenant, now, propose) => storage.commit(tenant, now, propose),
      activeOpportunities: (tenant, emailKeys, limit) => storage.activeOpportunities(tenant, emailKeys, limit),
      findApiKey: (hash) => storage.findApiKey(hash),
      listTenants: () => storage.listTenants(),
      cursorSecret: () => storage.cursorSecret(),
      pruneIdempotencyRecords: (before) => storage.pruneIdempotencyRecords(before),
      close: () => storage.close(),
      ...overrides,
    };
    this.storage = { ...jsonReads(methods), ...methods };
  }

  /** Clears the cache. */
  nextBatch(): void {
    this.#cache.clear();
  }

  /** A failed read is not cached, so that a retry reads again. */
  #getOrRead<T>(name: string, read: () => Promise<T>): Promise<T> {
    const known = this.#cache.get(name);
    if (known !== undefined) return known as Promise<T>;
    const reading = read();
    this.#cache.set(name, reading);
    reading.catch(() => this.#cache.delete(name));
    return reading;
  }
}
