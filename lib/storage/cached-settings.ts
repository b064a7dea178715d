import { LRUCache } from "lru-cache";
import { Attempt, type AttemptStorage, type ReadCached } from "./attempt.ts";
import type { ApiKeyWithScopes, Storage } from "./storage.ts";
import { wrapStorage } from "./wrap-storage.ts";

/** A storage with cached settings. */
export interface CachedStorage extends Storage {
  /**
   * Returns the storage of one attempt to handle a request. It is for one tenant.
   * @param version a settings version that was read for this request. Without one, the first read of a setting reads it
   */
  openAttempt(version?: number): AttemptStorage;
  /**
   * Returns the API key with this hash, or undefined.
   * @param onCached called at once with the cached API key, which may have changed since
   */
  findApiKey(hash: string, onCached?: (key: ApiKeyWithScopes) => void): Promise<ApiKeyWithScopes | undefined>;
}

/** The number of reads that the cache had, and that it didn't have. */
export type CacheCounts = { hit: number; miss: number };

/** A value that was read when the settings of the tenant had this version, or later. */
type Cached<T> = { readonly version: number; readonly value: T };

/** Number of cached API keys. */
const maxCachedKeys = 20_000;
/** Maximum size of the cached settings, in characters of JSON. */
const maxCachedSize = 32 * 1024 * 1024;

/**
 * Returns a storage that reads settings and API keys from memory while the settings version of the tenant is unchanged.
 * Each call reads the version from the storage, so that changes by other servers apply at once.
 * @param counts counts the reads of settings
 */
export function cachedSettings(storage: Storage, counts: CacheCounts = { hit: 0, miss: 0 }): CachedStorage {
  const keys = new LRUCache<string, Cached<ApiKeyWithScopes>>({ max: maxCachedKeys });
  const settings = new LRUCache<string, Cached<unknown>>({
    maxSize: maxCachedSize,
    sizeCalculation: ({ value }, name) => name.length + (JSON.stringify(value) ?? "").length,
  });
  const running = new Map<string, Promise<unknown>>();
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

  /** Calls while a read runs share it. After a change, all waiting requests read the same settings again. */
  const share = <T>(name: string, version: number, read: () => Promise<T>): Promise<T> => {
    const key = `${version} ${name}`;
    const shared = running.get(key) as Promise<T> | undefined;
    if (shared !== undefined) return shared;
    const reading = read().finally(() => running.delete(key));
    running.set(key, reading);
    return reading;
  };

  const readCached: ReadCached = async <T>(name: string, version: number, read: () => Promise<T>) => {
    const found = settings.get(name);
    if (found?.version === version) {
      counts.hit++;
      return found.value as T;
    }
    counts.miss++;
    return share(name, version, async () => {
      const value = await read();
      settings.set(name, { version, value });
      return value;
    });
  };

  const openAttempt = (version?: number): AttemptStorage =>
    new Attempt(storage, readCached, version === undefined ? versionOf : async () => version);

  const readKey = async (hash: string, tenant: string): Promise<ApiKeyWithScopes | undefined> => {
    const version = await versionOf(tenant);
    const found = keys.get(hash);
    if (found?.version === version) return found.value;
    return share(hash, version, async () => {
      const key = await storage.findApiKey(hash);
      if (key === undefined) {
        keys.delete(hash);
        return undefined;
      }
      const value = { ...key, settingsVersion: version };
      keys.set(hash, { version, value });
      return value;
    });
  };

  const findApiKey: CachedStorage["findApiKey"] = async (hash, onCached) => {
    const cached = keys.get(hash)?.value;
    if (cached !== undefined) onCached?.(cached);
    // The version has to be read before the key, and the tenant of an unknown key is unknown.
    const tenant = (cached ?? (await storage.findApiKey(hash)))?.tenantId;
    return tenant === undefined ? undefined : readKey(hash, tenant);
  };

  const wrapped = wrapStorage(storage, {
    get: (...parameters) => openAttempt().get(...parameters),
    list: (...parameters) => openAttempt().list(...parameters),
    getJson: (...parameters) => storage.getJson(...parameters),
    listJson: (...parameters) => storage.listJson(...parameters),
  });
  return { ...wrapped, findApiKey, openAttempt };
}
