import { write, writeSync } from "node:fs";

/** Characters to buffer. Further text is dropped, so that a stalled reader can't exhaust memory. */
const maxBuffered = 8 * 1024 * 1024;
/** Delay before a full pipe is tried again. */
const retryMs = 20;
const closeTimeoutMs = 1_000;

/**
 * Writes lines to a file descriptor in the background and batches them. A failed write (closed pipe, full disk) loses
 * its lines and never throws.
 */
export class LineWriter {
  readonly #descriptor: number;
  #buffered = "";
  #writing: Buffer | undefined;
  #idle: (() => void)[] = [];

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  write(line: string): void {
    if (this.#buffered.length + line.length > maxBuffered) return;
    this.#buffered += line;
    if (this.#writing === undefined) this.#next();
  }

  /** Writes the buffered lines synchronously, before the process exits. */
  flushSync(): void {
    const text = this.#buffered;
    this.#buffered = "";
    try {
      writeSync(this.#descriptor, text);
    } catch {
      // The process is exiting and has no other output.
    }
  }

  /** Waits until everything is written, at most one second. */
  close(): Promise<void> {
    if (this.#writing === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle.push(resolve);
      setTimeout(resolve, closeTimeoutMs);
    });
  }

  #next(): void {
    if (this.#buffered === "") {
      this.#writing = undefined;
      for (const resolve of this.#idle.splice(0)) resolve();
      return;
    }
    const bytes = Buffer.from(this.#buffered);
    this.#buffered = "";
    this.#write(bytes);
  }

  #write(bytes: Buffer): void {
    this.#writing = bytes;
    write(this.#descriptor, bytes, (error, count) => {
      if (error?.code === "EAGAIN") setTimeout(() => this.#write(bytes), retryMs);
      else if (error === null && count < bytes.length) this.#write(bytes.subarray(count));
      else this.#next();
    });
  }
}
