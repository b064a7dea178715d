import type { Kind } from "../model/kinds.ts";
import type { Storage } from "./storage.ts";

type Reads = Pick<Storage, "get" | "list" | "activeOpportunities" | "search">;

/**
 * Returns the reads of a storage with a cache of all kinds, or of all but one. Use it for one request, or for one batch of
 * records of that kind: each needs the same catalog, rules, users and referenced records. A failed read isn't cached.
 */
export function cachedReads(storage: Reads, uncached?: Kind): Reads {
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
      return kind === uncached ? read() : cached(`${tenant} ${kind} ${id}`, read);
    },
    list: (tenant, kind, query) => {
      const read = () => storage.list(tenant, kind, query);
      return kind === uncached ? read() : cached(`${tenant} ${kind} ${JSON.stringify(query)}`, read);
    },
    activeOpportunities: (...parameters) => storage.activeOpportunities(...parameters),
    search: (...parameters) => storage.search(...parameters),
  };
}
