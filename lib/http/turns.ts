/** How long the requests that begin in one turn of the event loop may take together, in milliseconds. */
const turnMs = 5;

/**
 * Lets requests begin in the order in which they came, and in one turn of the event loop no more than take some
 * milliseconds. The others wait for the next: timers, what other code of the process has to do, and answers that are
 * ready come in between, however many clients ask at once.
 */
export class Turns {
  readonly #now: () => number;
  #waiting = 0;
  /** When nothing more may begin in this turn; undefined where nothing has yet. */
  #until: number | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Undefined where the request may begin at once. */
  wait(): Promise<void> | undefined {
    if (this.#waiting === 0 && this.#hasTime()) return undefined;
    this.#waiting++;
    return new Promise((resolve) => {
      // Each in a callback of its own: when the next is asked, the one before has done what it can.
      const begin = (): void => {
        if (!this.#hasTime()) return void setImmediate(begin);
        this.#waiting--;
        resolve();
      };
      setImmediate(begin);
    });
  }

  #hasTime(): boolean {
    if (this.#until === undefined) {
      this.#until = this.#now() + turnMs;
      setImmediate(() => {
        this.#until = undefined;
      });
    }
    return this.#now() < this.#until;
  }
}
