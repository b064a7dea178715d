import type { Storage } from "../lib/index.ts";

/** The storage with some of its methods replaced; the others still work on the storage itself. */
export function storageWith(storage: Storage, changed: Partial<Storage>): Storage {
  return {
    get: (tenant, kind, id) => storage.get(tenant, kind, id),
    list: (tenant, kind, query) => storage.list(tenant, kind, query),
    commit: (tenant, now, propose) => storage.commit(tenant, now, propose),
    activeOpportunities: (tenant, keys, limit) => storage.activeOpportunities(tenant, keys, limit),
    apiKey: (hash) => storage.apiKey(hash),
    tenants: () => storage.tenants(),
    secret: () => storage.secret(),
    sweep: (before) => storage.sweep(before),
    close: () => storage.close(),
    ...changed,
  };
}
