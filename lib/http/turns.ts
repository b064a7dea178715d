/** How long the requests that begin in one turn of the event loop may take together, in milliseconds. */
const turnMs = 5;
/** So many at most that have waited begin in one turn. */
const lateMax = 64;

/**
 * Lets requests begin in the order in which they came, and in one turn of the event loop no more than take some
 * milliseconds. The others wait for the next: timers, what other code of the process has to do, and answers that are
 * ready come in between, however many clients ask at once.
 */
export class Turns {
  readonly #now: () => number;
  readonly #waiting: (() => void)[] = [];
  /** Callbacks that are on their way, each to let one in. */
  #calls = 0;
  /** When nothing more may begin in this turn; undefined where nothing has yet. */
  #until: number | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Undefined where the request may begin at once. */
  wait(): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#hasTime()) return undefined;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#call();
    });
  }

  /** Each is let in by a callback of its own: when the next comes, the one before has done what it can. */
  #call(): void {
    if (this.#calls >= Math.min(lateMax, this.#waiting.length)) return;
    this.#calls++;
    setImmediate(() => {
      this.#calls--;
      if (this.#hasTime()) this.#waiting.shift()?.();
      this.#call();
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
