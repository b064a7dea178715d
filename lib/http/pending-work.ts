import { StorageUnavailable } from "../storage/storage.ts";

/** A request that is rejected because of the load or a shutdown. It isn't logged, because there may be very many. */
export class Overloaded extends StorageUnavailable {}

/** Counts running work. It bounds the amount and lets `close` wait for the end. */
export class PendingWork {
  readonly #max: number;
  #running = 0;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(max = Number.POSITIVE_INFINITY) {
    this.#max = max;
  }

  /** Counts work that begins. `leave` must follow. @throws Overloaded if too much work is running, or after `close` */
  enter(): void {
    if (this.#idle !== undefined) throw new Overloaded("The API is closed.");
    if (this.#running >= this.#max) throw new Overloaded("Too many requests are running.");
    this.#running++;
  }

  leave(): void {
    this.#running--;
    if (this.#running === 0) this.#idle?.resolve();
  }

  /** Counts the work until its promise settles. @throws Overloaded */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.enter();
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  /** Rejects new work and waits for the running work to end. */
  close(): Promise<void> {
    this.#idle ??= Promise.withResolvers();
    if (this.#running === 0) this.#idle.resolve();
    return this.#idle.promise;
  }
}
