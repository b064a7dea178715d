import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { type Api, createApi, type RateLimitResult, type Storage, wrapStorage } from "../../../lib/index.ts";
import { loadTenantFile } from "../../../lib/tenant-file/index.ts";
import { type Result, type Sent, sendUnchecked, sequentialIds, TestClock } from "../../support/harness.ts";
import { testTenant } from "../../support/tenants.ts";
import { tiedTenantFile } from "./fields.ts";
import { Ledger } from "./ledger.ts";
import type { TemplateDatabase, TestDatabase } from "./storage.ts";

export const tenants = [testTenant(1), testTenant(2)] as const;

const state: RateLimitResult = { accepted: true, limit: 300, remaining: 299, resetMs: 60_000, retryMs: 0 };

/** The first state of all histories, and its ledger. The clock of the second tenant is hours ahead. */
export type StartState = { readonly template: TemplateDatabase; readonly ledger: Ledger };

export async function createStartState(template: TemplateDatabase): Promise<StartState> {
  const ledger = new Ledger();
  const storage = await template.database.open();
  const tools = { clock: new TestClock(), newId: sequentialIds() };
  for (const [index, tenant] of tenants.entries()) {
    const newest = `2026-03-01T1${index * 9}:00:00.000Z`;
    await loadTenantFile(ledger.watched(storage), tiedTenantFile(tenant, newest), tools);
  }
  await storage.close();
  return { template, ledger };
}

/** An API over its own database. It can be restarted during requests. */
export class Crm {
  readonly clock = new TestClock();
  readonly ledger: Ledger;
  /** Returns IDs that count up. */
  readonly newId = sequentialIds();
  restarts = 0;
  readonly #database: TestDatabase;
  readonly #random: () => number;
  /** The APIs that accept requests. A client may use any of them. Empty after the end of the history. */
  #apis: readonly Api[] = [];
  #restarting: Promise<void> = Promise.resolve();

  private constructor(database: TestDatabase, ledger: Ledger, random: () => number) {
    this.#database = database;
    this.ledger = ledger.copy();
    this.#random = random;
  }

  static async open({ template, ledger }: StartState, name: string, random: () => number): Promise<Crm> {
    const crm = new Crm(await template.copy(name), ledger, random);
    crm.#apis = [await crm.#opened()];
    return crm;
  }

  async #opened(): Promise<Api> {
    const storage = late(this.ledger.watched(await this.#database.open()), this.#random);
    return createApi({ storage, clock: this.clock, ids: this.newId, rateLimiter: { take: async () => state } });
  }

  /**
   * Sends a request, again if its process was stopping. Responses aren't compared with the description, which other
   * tests do, because that would take a third of the time.
   */
  async call(method: string, path: string, sent: Sent): Promise<Result> {
    for (let attempt = 0; attempt < 1_000; attempt++) {
      const api = this.#apis[Math.floor(this.#random() * this.#apis.length)];
      if (api === undefined) break;
      const result = await sendUnchecked(api, method, path, sent);
      if (result.status !== 503) return result;
      await this.#restarting;
      await turn();
    }
    return assert.fail("no process accepted the request");
  }

  /** Starts another process over the same database: after the old one has ended, or while both accept requests. */
  restart(overlap: boolean): Promise<void> {
    this.#restarting = this.#restart(overlap);
    return this.#restarting;
  }

  async #restart(overlap: boolean): Promise<void> {
    const old = this.#apis;
    if (overlap) {
      const fresh = await this.#opened();
      this.#apis = [...old, fresh];
      await turns(100 * this.#random());
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
    await this.#database.remove();
  }
}

/** Returns a storage that is sometimes late: before it reads, and before it returns. */
function late(storage: Storage, random: () => number): Storage {
  const sometimes = async <T>(act: () => Promise<T>): Promise<T> => {
    await turns(Math.max(0, random() * 5 - 2));
    const result = await act();
    await turns(Math.max(0, random() * 5 - 2));
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
