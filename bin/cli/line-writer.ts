import { write, writeSync } from "node:fs";

/** What waits to be taken: more is dropped, so that a reader who stands still does not fill the memory. */
const waitingMax = 8 * 1024 * 1024;
/** After so long a pipe that was full is tried again. */
const againMs = 20;
const closeWaitMs = 1_000;

/**
 * Writes lines to a file descriptor in the background, those that come together at once. What cannot be written (a reader
 * who has gone, a full disk) is lost, and disturbs nobody.
 */
export class LineWriter {
  readonly #descriptor: number;
  #waiting = "";
  #underWay: Buffer | undefined;
  #idle: (() => void)[] = [];

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  write(line: string): void {
    if (this.#waiting.length + line.length > waitingMax) return;
    this.#waiting += line;
    if (this.#underWay === undefined) this.#next();
  }

  /** Writes what waits before it returns, for a process that is about to end. */
  flushSync(): void {
    const text = this.#waiting;
    this.#waiting = "";
    try {
      writeSync(this.#descriptor, text);
    } catch {
      // Nobody is left to be told.
    }
  }

  /** Once all is written, or has not been taken for a second. */
  close(): Promise<void> {
    if (this.#underWay === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle.push(resolve);
      setTimeout(resolve, closeWaitMs);
    });
  }

  #next(): void {
    if (this.#waiting === "") {
      this.#underWay = undefined;
      for (const tell of this.#idle.splice(0)) tell();
      return;
    }
    const bytes = Buffer.from(this.#waiting);
    this.#waiting = "";
    this.#put(bytes);
  }

  #put(bytes: Buffer): void {
    this.#underWay = bytes;
    write(this.#descriptor, bytes, (error, count) => {
      if (error?.code === "EAGAIN") setTimeout(() => this.#put(bytes), againMs);
      else if (error === null && count < bytes.length) this.#put(bytes.subarray(count));
      else this.#next();
    });
  }
}
