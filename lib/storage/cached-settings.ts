import { LRUCache } from "lru-cache";
import { type ApiKeyWithScopes, isSetting, type Storage, wrapStorage } from "./storage.ts";

/** A value that was read when the settings of the tenant had this version, or later. */
type Cached<T> = { readonly version: number; readonly value: T };

/** Number of cached API keys. */
const maxCachedKeys = 20_000;
/** Maximum size of the cached settings, in characters of JSON. */
const maxCachedSize = 32 * 1024 * 1024;

/**
 * Returns a storage that reads settings and API keys from memory while the settings version of the tenant is unchanged.
 * Each call reads the version from the storage, so that changes by other servers apply at once.
 */
export function cachedSettings(storage: Storage): Storage {
  const keys = new LRUCache<string, Cached<ApiKeyWithScopes>>({ max: maxCachedKeys });
  const reads = new LRUCache<string, Cached<unknown>>({
    maxSize: maxCachedSize,
    sizeCalculation: ({ value }, name) => name.length + (JSON.stringify(value) ?? "").length,
  });
  const versions = new Map<string, Promise<number>>();

  /** Calls in the same turn share one read. */
  const versionOf = (tenant: string): Promise<number> => {
    const shared = versions.get(tenant);
    if (shared !== undefined) return shared;
    const version = storage.settingsVersion(tenant);
    versions.set(tenant, version);
    queueMicrotask(() => versions.delete(tenant));
    return version;
  };

  const cached = async <T>(tenant: string, name: string, read: () => Promise<T>): Promise<T> => {
    const version = await versionOf(tenant);
    const found = reads.get(name);
    if (found?.version === version) return found.value as T;
    const value = await read();
    reads.set(name, { version, value });
    return value;
  };

  const readKey = async (hash: string, tenant: string): Promise<ApiKeyWithScopes | undefined> => {
    const version = await versionOf(tenant);
    const found = keys.get(hash);
    if (found?.version === version) return found.value;
    const value = await storage.findApiKey(hash);
    if (value === undefined) keys.delete(hash);
    else keys.set(hash, { version, value });
    return value;
  };

  return wrapStorage(storage, {
    get(tenant, kind, id) {
      const read = () => storage.get(tenant, kind, id);
      return isSetting(kind) ? cached(tenant, `${tenant} ${kind} ${id}`, read) : read();
    },
    list(tenant, kind, query) {
      const read = () => storage.list(tenant, kind, query);
      return isSetting(kind) ? cached(tenant, `${tenant} ${kind} ${JSON.stringify(query)}`, read) : read();
    },
    async findApiKey(hash) {
      // The version has to be read before the key, and the tenant of an unknown key is unknown.
      const tenant = (keys.get(hash)?.value ?? (await storage.findApiKey(hash)))?.tenantId;
      return tenant === undefined ? undefined : readKey(hash, tenant);
    },
    getJson: (...parameters) => storage.getJson(...parameters),
    listJson: (...parameters) => storage.listJson(...parameters),
  });
}
