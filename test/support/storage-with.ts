import { deriveJsonReads, type Storage } from "../../lib/index.ts";

/** The storage with some of its methods replaced; the others still work on the storage itself. */
export function storageWith(storage: Storage, changed: Partial<Storage>): Storage {
  const methods: Omit<Storage, "getJson" | "listJson"> & Partial<Storage> = {
    get: (tenant, kind, id) => storage.get(tenant, kind, id),
    list: (tenant, kind, query) => storage.list(tenant, kind, query),
    commit: (tenant, now, propose) => storage.commit(tenant, now, propose),
    activeOpportunities: (tenant, keys, limit) => storage.activeOpportunities(tenant, keys, limit),
    search: (tenant, query) => storage.search(tenant, query),
    findApiKey: (hash) => storage.findApiKey(hash),
    settingsVersion: (tenant) => storage.settingsVersion(tenant),
    listTenants: () => storage.listTenants(),
    cursorSecret: () => storage.cursorSecret(),
    pruneIdempotencyRecords: (before) => storage.pruneIdempotencyRecords(before),
    close: () => storage.close(),
    ...changed,
  };
  return { ...deriveJsonReads(methods), ...methods };
}

/** The same where keys are looked up only while the gate is open, as it is at first: so that requests stay under way. */
export function gatedStorage(storage: Storage): { storage: Storage; shut(): void; open(): void } {
  let gate: PromiseWithResolvers<void> | undefined;
  const findApiKey: Storage["findApiKey"] = async (hash) => {
    await gate?.promise;
    return storage.findApiKey(hash);
  };
  const shut = (): void => {
    gate = Promise.withResolvers();
  };
  return { storage: storageWith(storage, { findApiKey }), shut, open: () => gate?.resolve() };
}
