import type { Kind, Storage } from "#lib";
import type { Entity } from "./target.ts";

/**
 * A storage that reads what is not being imported (catalogue, rules, users, stages, referred records) once for a batch
 * of rows. Each row is then handled as a request that began with its batch; `nextBatch` looks anew.
 */
export class BatchStorage {
  readonly storage: Storage;
  readonly #read = new Map<string, Promise<unknown>>();

  constructor(storage: Storage, entity: Entity, changed: Partial<Storage>) {
    const once = <T>(kind: Kind, name: () => string, read: () => Promise<T>): Promise<T> => {
      return kind === entity ? read() : this.#once(`${kind} ${name()}`, read);
    };
    this.storage = {
      get: (tenant, kind, id) =>
        once(
          kind,
          () => id,
          () => storage.get(tenant, kind, id),
        ),
      list: (tenant, kind, query) =>
        once(
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
      ...changed,
    };
  }

  nextBatch(): void {
    this.#read.clear();
  }

  /** A reading that failed is not kept: whoever tries again reads again. */
  #once<T>(name: string, read: () => Promise<T>): Promise<T> {
    const known = this.#read.get(name);
    if (known !== undefined) return known as Promise<T>;
    const reading = read();
    this.#read.set(name, reading);
    reading.catch(() => this.#read.delete(name));
    return reading;
  }
}
