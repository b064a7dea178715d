import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { type Api, createApi, type LimitState, type Storage } from "../../lib/index.ts";
import { sqliteStorage } from "../../lib/sqlite/index.ts";
import { loadTenantFile } from "../../lib/tenant-file/index.ts";
import { countingIds, type Result, type Sent, sendUnchecked, TestClock } from "../harness.ts";
import { storageWith } from "../storage-with.ts";
import { testTenant } from "../tenants.ts";
import { tiedTenantFile } from "./never-missed.fields.ts";
import { Ledger } from "./never-missed.ledger.ts";

export const tenants = [testTenant(1), testTenant(2)] as const;

const state: LimitState = { accepted: true, limit: 300, remaining: 299, resetMs: 60_000, retryMs: 0 };

/** A database file that histories begin with, and what is in it. The second tenant's clock is hours ahead. */
export type Beginning = { readonly file: string; readonly ledger: Ledger };

export async function beginning(folder: string): Promise<Beginning> {
  const file = join(folder, "beginning.db");
  const ledger = new Ledger();
  const storage = sqliteStorage({ file });
  const tools = { clock: new TestClock(), newId: countingIds() };
  for (const [index, tenant] of tenants.entries()) {
    const newest = `2026-03-01T1${index * 9}:00:00.000Z`;
    await loadTenantFile(ledger.watched(storage), tiedTenantFile(tenant, newest), tools);
  }
  await storage.close();
  return { file, ledger };
}

/** The API over a file of its own, which can be opened anew while requests are under way. */
export class Crm {
  readonly clock = new TestClock();
  readonly ledger: Ledger;
  /** Ids that count up, for whoever needs one. */
  readonly newId = countingIds();
  restarts = 0;
  readonly #folder: string;
  readonly #dice: () => number;
  /** Those that take requests, each from any client; none when the history is over. */
  #apis: readonly Api[];

  constructor({ file, ledger }: Beginning, folder: string, dice: () => number) {
    this.#folder = folder;
    this.ledger = ledger.copy();
    this.#dice = dice;
    mkdirSync(folder);
    copyFileSync(file, join(folder, "crm.db"));
    this.#apis = [this.#opened()];
  }

  #opened(): Api {
    const storage = late(this.ledger.watched(sqliteStorage({ file: join(this.#folder, "crm.db") })), this.#dice);
    return createApi({ storage, clock: this.clock, ids: this.newId, limiter: { take: async () => state } });
  }

  /**
   * Sends a request, again where it met a process that was just ending. That answers are as they are described is seen
   * elsewhere; here it would take a third of the time.
   */
  async call(method: string, path: string, sent: Sent): Promise<Result> {
    for (let attempt = 0; attempt < 1_000; attempt++) {
      const api = this.#apis[Math.floor(this.#dice() * this.#apis.length)];
      if (api === undefined) break;
      const result = await sendUnchecked(api, method, path, sent);
      if (result.status !== 503) return result;
      await turn();
    }
    return assert.fail("nobody was there to answer");
  }

  /** A new process over the same file: once the old one is gone, or with both of them answering for a while. */
  async restart(overlap: boolean): Promise<void> {
    const old = this.#apis;
    if (overlap) {
      const fresh = this.#opened();
      this.#apis = [...old, fresh];
      await turns(100 * this.#dice());
      this.#apis = [fresh];
    }
    await Promise.all(old.map((api) => api.close()));
    if (!overlap) this.#apis = [this.#opened()];
    this.restarts++;
  }

  async close(): Promise<void> {
    const open = this.#apis;
    this.#apis = [];
    await Promise.all(open.map((api) => api.close()));
    rmSync(this.#folder, { recursive: true });
  }
}

/** The storage, a little late now and then: before it looks, and before what it found is heard of. */
function late(storage: Storage, dice: () => number): Storage {
  const sometimes = async <T>(act: () => Promise<T>): Promise<T> => {
    await turns(Math.max(0, dice() * 5 - 2));
    const result = await act();
    await turns(Math.max(0, dice() * 5 - 2));
    return result;
  };
  return storageWith(storage, {
    get: (...args) => sometimes(() => storage.get(...args)),
    list: (...args) => sometimes(() => storage.list(...args)),
    commit: (...args) => sometimes(() => storage.commit(...args)),
  });
}

export async function turns(count: number): Promise<void> {
  for (let i = 0; i < Math.floor(count); i++) await turn();
}
