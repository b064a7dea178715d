import { overlayStorage, type Storage, wrapStorage } from "#lib";

/** Returns a storage whose commits stay in memory. Its reads see them. */
export function dryRunStorage(storage: Storage): Storage {
  const overlay = overlayStorage(storage);
  let version = 0;
  return wrapStorage(storage, {
    get: (tenant, kind, id) => overlay.get(tenant, kind, id),
    list: (tenant, kind, query) => overlay.list(tenant, kind, query),
    commit: (tenant, now, propose) => overlay.commit(tenant, now, propose),
    // Another version for each read, so that no settings are cached.
    settingsVersion: async () => ++version,
  });
}
