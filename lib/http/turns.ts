import { nextTick } from "node:process";

/** How long the requests that begin in one turn of the event loop may take together, in milliseconds. */
const turnMs = 5;

/**
 * Lets requests begin in the order in which they came, and in one turn of the event loop no more than take some
 * milliseconds. The others wait for the next: timers, what other code of the process has to do, and answers that are
 * ready come in between, however many clients ask at once.
 */
export class Turns {
  readonly #now: () => number;
  readonly #waiting: (() => void)[] = [];
  /** When nothing more may begin in this turn; undefined where nothing has yet. */
  #until: number | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Undefined where the request may begin at once. */
  wait(): Promise<void> | undefined {
    if (this.#until === undefined) this.#begin();
    if (this.#waiting.length === 0 && this.#hasTime()) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #begin(): void {
    this.#until = this.#now() + turnMs;
    setImmediate(() => {
      this.#until = undefined;
      if (this.#waiting.length === 0) return;
      this.#begin();
      this.#next();
    });
  }

  #next(): void {
    if (!this.#hasTime()) return;
    const resolve = this.#waiting.shift();
    if (resolve === undefined) return;
    resolve();
    // A tick that a microtask asks for comes when there are no more of these: when the request has done what it can.
    queueMicrotask(() => nextTick(() => this.#next()));
  }

  #hasTime(): boolean {
    return this.#until !== undefined && this.#now() < this.#until;
  }
}
