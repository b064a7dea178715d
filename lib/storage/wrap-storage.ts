import { deriveJsonReads, type Storage } from "./storage.ts";

/**
 * Returns a storage that has these methods, and calls the given storage for all others. If `get` or `list` is replaced,
 * `getJson` and `listJson` return the JSON of its records, unless they are replaced as well.
 */
export function wrapStorage(storage: Storage, methods: Partial<Storage>): Storage {
  const wrapped: Storage = {
    get: (tenant, kind, id) => storage.get(tenant, kind, id),
    getJson: (tenant, kind, id) => storage.getJson(tenant, kind, id),
    list: (tenant, kind, query) => storage.list(tenant, kind, query),
    listJson: (tenant, kind, query) => storage.listJson(tenant, kind, query),
    commit: (...parameters) => storage.commit(...parameters),
    findApiKey: (hash) => storage.findApiKey(hash),
    settingsVersion: (tenant) => storage.settingsVersion(tenant),
    activeOpportunities: (tenant, emailKeys, limit) => storage.activeOpportunities(tenant, emailKeys, limit),
    search: (tenant, query) => storage.search(tenant, query),
    count: (...parameters) => storage.count(...parameters),
    openTotals: (tenant, max) => storage.openTotals(tenant, max),
    listTenants: () => storage.listTenants(),
    webhookClocks: () => storage.webhookClocks(),
    cursorSecret: () => storage.cursorSecret(),
    pruneIdempotencyRecords: (before) => storage.pruneIdempotencyRecords(before),
    eventsFrom: (tenant) => storage.eventsFrom(tenant),
    pruneEvents: (tenant, before) => storage.pruneEvents(tenant, before),
    close: () => storage.close(),
    ...methods,
  };
  const readsRecords = methods.get !== undefined || methods.list !== undefined;
  return readsRecords ? { ...wrapped, ...deriveJsonReads(wrapped), ...methods } : wrapped;
}
