import type { ServerResponse } from "node:http";
import type { Caller } from "../api/endpoint.ts";
import { StorageUnavailable } from "../storage/storage.ts";
import type { HttpResponse } from "./http-exchange.ts";

/** A request that is rejected because of the load or a shutdown. It isn't logged, because there may be very many. */
export class OverloadedError extends StorageUnavailable {}

/** A request after `close`. */
export class ApiClosedError extends OverloadedError {}

/** Counts running work, bounds its amount and waits for its end. */
export class PendingWork {
  readonly #max: number;
  #running = 0;
  #isClosed = false;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(max = Number.POSITIVE_INFINITY) {
    this.#max = max;
  }

  /** Counts the work until its promise settles. @throws OverloadedError if too much work is running, or after `close` */
  async run<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.#isClosed) throw new ApiClosedError("The API is closed.");
    if (this.#running >= this.#max) throw new OverloadedError("Too many requests are running.");
    this.#running++;
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  #leave(): void {
    this.#running--;
    if (this.#running > 0) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  }

  /** Waits until no work is running. */
  async idle(): Promise<void> {
    if (this.#running === 0) return;
    this.#idle ??= Promise.withResolvers();
    await this.#idle.promise;
  }

  /** Rejects new work and waits for the running work to end. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.idle();
  }
}

/** Limits how much work of one tenant runs at the same time. The other work of the tenant waits in order. */
export class TenantQueue {
  readonly #maxRunning: number;
  readonly #maxWaiting: number;
  readonly #tenants = new Map<string, { running: number; readonly waiting: (() => void)[] }>();

  constructor(maxRunning: number, maxWaiting = Number.POSITIVE_INFINITY) {
    this.#maxRunning = maxRunning;
    this.#maxWaiting = maxWaiting;
  }

  /** Runs the work of a tenant when its turn comes. @throws OverloadedError if too much work of the tenant waits */
  async run<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    const tenant = this.#tenants.get(tenantId) ?? { running: 0, waiting: [] };
    this.#tenants.set(tenantId, tenant);
    if (tenant.running < this.#maxRunning) tenant.running++;
    else if (tenant.waiting.length < this.#maxWaiting) await new Promise<void>((start) => tenant.waiting.push(start));
    else throw new OverloadedError("Too many requests of the tenant wait.");
    try {
      return await work();
    } finally {
      const start = tenant.waiting.shift();
      // In a later turn of the event loop, so that the response is counted and other tenants run in between.
      if (start !== undefined) setImmediate(start);
      else if (--tenant.running === 0) this.#tenants.delete(tenantId);
    }
  }
}

/** Limits of the response bytes that clients have requested but not read. A page has at most 4 MiB. */
const maxBytesPerCaller = 32 * 1024 * 1024;
const maxBytes = 128 * 1024 * 1024;
/** Shorter responses fit into the buffers of the operating system and take no noticeable time. */
const minTrackedBytes = 64 * 1024;
/** A UTF-16 unit takes at most three bytes in UTF-8. */
const maxBytesPerUnit = 3;

/** Bounds the memory and the time that large responses take, so that a caller that doesn't read them affects no other tenant. */
export class UnsentBytes {
  readonly #byCaller = new Map<string, number>();
  readonly #byTenant = new Map<string, number>();
  #total = 0;
  /** The waiting requests of each tenant that has received a large response in this turn of the event loop. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** The bytes of all large responses that aren't sent yet. */
  get total(): number {
    return this.#total;
  }

  /**
   * Waits for a later turn of the event loop if the tenant has received a large response in this one. Then one request of
   * the tenant runs per turn until none waits, so that requests of other tenants run in between.
   */
  waitForTurn({ tenantId }: Caller): Promise<void> | undefined {
    const waiting = this.#waiting.get(tenantId);
    return waiting && new Promise<void>((resolve) => waiting.push(resolve));
  }

  /**
   * Rejects a request if its response could exhaust the memory. If all tenants together exceed the limit, only those
   * are affected that exceed their equal share.
   * @throws OverloadedError
   */
  assertCapacity(caller: Caller): void {
    const share = maxBytes / this.#byTenant.size;
    const exceedsShare = this.#total > maxBytes && (this.#byTenant.get(caller.tenantId) ?? 0) > share;
    if (exceedsShare || (this.#byCaller.get(rateLimitKey(caller)) ?? 0) > maxBytesPerCaller)
      throw new OverloadedError("Too many responses wait for their clients.");
  }

  /** Counts the bytes of a response until it is sent or aborted. Call it before the response is sent. */
  track(caller: Caller, body: HttpResponse["body"], outgoing: ServerResponse | undefined): void {
    if (body === null || body.length * maxBytesPerUnit < minTrackedBytes) return;
    const bytes = Buffer.byteLength(body);
    if (bytes < minTrackedBytes) return;
    this.#startTurn(caller.tenantId);
    if (outgoing === undefined || outgoing.destroyed) return;
    this.#add(caller, bytes);
    outgoing.once("close", () => this.#add(caller, -bytes));
  }

  #startTurn(tenantId: string): void {
    if (this.#waiting.has(tenantId)) return;
    const waiting: (() => void)[] = [];
    this.#waiting.set(tenantId, waiting);
    const next = (): void => {
      const resolve = waiting.shift();
      if (resolve === undefined) return void this.#waiting.delete(tenantId);
      resolve();
      setImmediate(next);
    };
    setImmediate(next);
  }

  #add(caller: Caller, bytes: number): void {
    this.#total += bytes;
    addTo(this.#byCaller, rateLimitKey(caller), bytes);
    addTo(this.#byTenant, caller.tenantId, bytes);
  }
}

function addTo(sums: Map<string, number>, key: string, bytes: number): void {
  const sum = (sums.get(key) ?? 0) + bytes;
  if (sum > 0) sums.set(key, sum);
  else sums.delete(key);
}

/** Returns the key under which the requests of a caller are counted. IDs are unique only within a tenant. */
export function rateLimitKey({ tenantId, keyId, userId }: Caller): string {
  return `${tenantId}:${keyId ?? `user:${userId}`}`;
}
