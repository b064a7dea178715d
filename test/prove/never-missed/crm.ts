import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { type Api, createApi, type RateLimitResult, type Storage, wrapStorage } from "../../../lib/index.ts";
import { loadTenantFile } from "../../../lib/tenant-file/index.ts";
import { type Result, type Sent, sendUnchecked, sequentialIds, TestClock } from "../../support/harness.ts";
import { testTenant } from "../../support/tenants.ts";
import { tiedTenantFile } from "./fields.ts";
import { Ledger } from "./ledger.ts";
import type { Ground, Place } from "./storage.ts";

export const tenants = [testTenant(1), testTenant(2)] as const;

const state: RateLimitResult = { accepted: true, limit: 300, remaining: 299, resetMs: 60_000, retryMs: 0 };

/** What histories begin with, and what is in it. The second tenant's clock is hours ahead. */
export type Beginning = { readonly ground: Ground; readonly ledger: Ledger };

export async function beginning(ground: Ground): Promise<Beginning> {
  const ledger = new Ledger(ground.isRemote);
  const storage = await ground.place.open();
  const tools = { clock: new TestClock(), newId: sequentialIds() };
  for (const [index, tenant] of tenants.entries()) {
    const newest = `2026-03-01T1${index * 9}:00:00.000Z`;
    await loadTenantFile(ledger.watched(storage), tiedTenantFile(tenant, newest), tools);
  }
  await storage.close();
  return { ground, ledger };
}

/** The API over a place of its own, which can be opened anew while requests are under way. */
export class Crm {
  readonly clock = new TestClock();
  readonly ledger: Ledger;
  /** Ids that count up, for whoever needs one. */
  readonly newId = sequentialIds();
  restarts = 0;
  readonly #place: Place;
  readonly #dice: () => number;
  /** Those that take requests, each from any client; none when the history is over. */
  #apis: readonly Api[] = [];
  #restarting: Promise<void> = Promise.resolve();

  private constructor(place: Place, ledger: Ledger, dice: () => number) {
    this.#place = place;
    this.ledger = ledger.copy();
    this.#dice = dice;
  }

  static async open({ ground, ledger }: Beginning, name: string, dice: () => number): Promise<Crm> {
    const crm = new Crm(await ground.copy(name), ledger, dice);
    crm.#apis = [await crm.#opened()];
    return crm;
  }

  async #opened(): Promise<Api> {
    const storage = late(this.ledger.watched(await this.#place.open()), this.#dice);
    return createApi({ storage, clock: this.clock, ids: this.newId, rateLimiter: { take: async () => state } });
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
      await this.#restarting;
      await turn();
    }
    return assert.fail("nobody was there to answer");
  }

  /** A new process over the same place: once the old one is gone, or with both of them answering for a while. */
  restart(overlap: boolean): Promise<void> {
    this.#restarting = this.#restart(overlap);
    return this.#restarting;
  }

  async #restart(overlap: boolean): Promise<void> {
    const old = this.#apis;
    if (overlap) {
      const fresh = await this.#opened();
      this.#apis = [...old, fresh];
      await turns(100 * this.#dice());
      this.#apis = [fresh];
    }
    await Promise.all(old.map((api) => api.close()));
    if (!overlap) this.#apis = [await this.#opened()];
    this.restarts++;
  }

  async close(): Promise<void> {
    const open = this.#apis;
    this.#apis = [];
    await Promise.all(open.map((api) => api.close()));
    await this.#place.remove();
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
  return wrapStorage(storage, {
    get: (...args) => sometimes(() => storage.get(...args)),
    list: (...args) => sometimes(() => storage.list(...args)),
    commit: (...args) => sometimes(() => storage.commit(...args)),
  });
}

export async function turns(count: number): Promise<void> {
  for (let i = 0; i < Math.floor(count); i++) await turn();
}
