import { StorageUnavailable } from "../storage/storage.ts";

/** A request that is rejected because of the load or a shutdown. It isn't logged, because there may be very many. */
export class Overloaded extends StorageUnavailable {}

/** Tracks running work, so that `close` can wait for it. */
export class PendingWork {
  readonly #running = new Set<Promise<unknown>>();
  #closed = false;

  /** @throws Overloaded after `close` */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new Overloaded("The API is closed.");
    const running = work();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Rejects new work and waits for the running work to end. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }
}

/** Bounds how much work runs at the same time. */
export class ConcurrencyLimit {
  readonly #max: number;
  #running = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** @throws Overloaded if too much work is running */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#max) throw new Overloaded("Too many requests are running.");
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
    }
  }
}
