import { overlayStorage, type Storage, wrapStorage } from "#lib";

/** Returns a storage whose commits stay in memory. Its reads see them. */
export function dryRunStorage(storage: Storage): Storage {
  const overlay = overlayStorage(storage);
  return wrapStorage(storage, {
    get: (tenant, kind, id) => overlay.get(tenant, kind, id),
    list: (tenant, kind, query) => overlay.list(tenant, kind, query),
    commit: (...parameters) => overlay.commit(...parameters),
    settingsVersion: (tenant) => overlay.settingsVersion(tenant),
  });
}
