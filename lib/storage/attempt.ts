import type { Kind, Records } from "../model/kinds.ts";
import {
  type CommitConditions,
  type HandlerStorage,
  isSetting,
  type NoMatch,
  type Query,
  type Storage,
  type Write,
} from "./storage.ts";

/** A storage whose settings all have the version of the first one that is read. Its commit is stale if they changed. */
export interface AttemptStorage extends HandlerStorage {
  /** Makes the commit stale if a record matches the filter by then. */
  expectNone(none: NoMatch): void;
}

/** Returns the setting with this version. Calls `read` if no attempt has read it. */
export type ReadCached = <T>(name: string, version: number, read: () => Promise<T>) => Promise<T>;

/** Reads settings through the cache of all attempts. */
export class Attempt implements AttemptStorage {
  readonly #storage: Storage;
  readonly #readCached: ReadCached;
  readonly #readVersion: Storage["settingsVersion"];
  /** Set once a setting was read. */
  #version: Promise<number> | undefined;
  #none: NoMatch | undefined;

  constructor(storage: Storage, readCached: ReadCached, readVersion: Storage["settingsVersion"]) {
    this.#storage = storage;
    this.#readCached = readCached;
    this.#readVersion = readVersion;
  }

  get<K extends Kind>(tenant: string, kind: K, id: string): Promise<Records[K] | undefined> {
    const read = () => this.#storage.get(tenant, kind, id);
    return isSetting(kind) ? this.#cached(tenant, `${tenant} ${kind} ${id}`, read) : read();
  }

  list<K extends Kind>(tenant: string, kind: K, query: Query): Promise<readonly Records[K][]> {
    const read = () => this.#storage.list(tenant, kind, query);
    return isSetting(kind) ? this.#cached(tenant, `${tenant} ${kind} ${JSON.stringify(query)}`, read) : read();
  }

  settingsVersion(tenant: string): Promise<number> {
    this.#version ??= this.#readVersion(tenant);
    return this.#version;
  }

  async commit(tenant: string, now: number, propose: (at: number) => readonly Write[]): Promise<void> {
    const conditions: CommitConditions = { settingsVersion: await this.#version, none: this.#none };
    await this.#storage.commit(tenant, now, propose, conditions);
  }

  expectNone(none: NoMatch): void {
    this.#none = none;
  }

  getJson(...parameters: Parameters<Storage["getJson"]>) {
    return this.#storage.getJson(...parameters);
  }

  listJson(...parameters: Parameters<Storage["listJson"]>) {
    return this.#storage.listJson(...parameters);
  }

  activeOpportunities(...parameters: Parameters<Storage["activeOpportunities"]>) {
    return this.#storage.activeOpportunities(...parameters);
  }

  search(...parameters: Parameters<Storage["search"]>) {
    return this.#storage.search(...parameters);
  }

  count(...parameters: Parameters<Storage["count"]>) {
    return this.#storage.count(...parameters);
  }

  openTotals(...parameters: Parameters<Storage["openTotals"]>) {
    return this.#storage.openTotals(...parameters);
  }

  eventsFrom(tenant: string) {
    return this.#storage.eventsFrom(tenant);
  }

  async #cached<T>(tenant: string, name: string, read: () => Promise<T>): Promise<T> {
    return this.#readCached(name, await this.settingsVersion(tenant), read);
  }
}
