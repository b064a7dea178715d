import type { Kind } from "../model/kinds.ts";
import type { StorageReads } from "./storage.ts";

/**
 * Returns the reads of a storage with a cache of all kinds, or of all but some. Use it for one attempt to handle a
 * request: all its checks need the same catalog, rules, users and referenced records. If several requests share it, it
 * must not cache settings, because a commit expects the version of those that it read. A failed read isn't cached.
 */
export function cachedReads(storage: StorageReads, isUncached: (kind: Kind) => boolean = () => false): StorageReads {
  const cache = new Map<string, Promise<unknown>>();
  const cached = <T>(name: string, read: () => Promise<T>): Promise<T> => {
    const known = cache.get(name);
    if (known !== undefined) return known as Promise<T>;
    const reading = read();
    cache.set(name, reading);
    reading.catch(() => cache.delete(name));
    return reading;
  };
  return {
    get: (tenant, kind, id) => {
      const read = () => storage.get(tenant, kind, id);
      return isUncached(kind) ? read() : cached(`${tenant} ${kind} ${id}`, read);
    },
    list: (tenant, kind, query) => {
      const read = () => storage.list(tenant, kind, query);
      return isUncached(kind) ? read() : cached(`${tenant} ${kind} ${JSON.stringify(query)}`, read);
    },
    activeOpportunities: (...parameters) => storage.activeOpportunities(...parameters),
    search: (...parameters) => storage.search(...parameters),
    count: (...parameters) => storage.count(...parameters),
    openTotals: (...parameters) => storage.openTotals(...parameters),
    settingsVersion: (tenant) => storage.settingsVersion(tenant),
    eventsFrom: (tenant) => storage.eventsFrom(tenant),
  };
}
