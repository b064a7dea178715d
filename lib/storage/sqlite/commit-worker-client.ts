import { Worker } from "node:worker_threads";
import type { FileIdentity } from "./file-identity.ts";
import { decodeResult, type EncodedResult } from "./result-codec.ts";
import type { WriteJob, WriteJobResult } from "./transaction-runner.ts";
import type { WorkerEntry } from "./worker-entry.ts";

/** A message of the commit worker: it is ready, or the results of a batch. */
export type WorkerMessage = "ready" | { readonly results: readonly EncodedResult[] };

/** Runs batches of commits on a worker thread with its own connection. Never becomes ready if the thread can't start. */
export class CommitWorker {
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  /** Resolves when the worker is ready or has ended. */
  readonly started: Promise<void>;
  #isReady = false;
  #isClosing = false;
  #resolve: ((results: readonly WriteJobResult[]) => void) | undefined;

  constructor(
    { code, options }: WorkerEntry,
    file: string,
    opened: FileIdentity,
    onLost: (error: Error) => void = () => {},
  ) {
    const workerData = { ...options.workerData, file, opened };
    this.#worker = new Worker(code, { ...options, name: "commits", workerData });
    this.started = new Promise((resolve) => {
      this.#worker.on("message", (message: WorkerMessage) => {
        if (message !== "ready") return this.#end(message.results.map(decodeResult));
        // An idle worker must not keep the process alive. A closing one must.
        if (!this.#isClosing) {
          this.#isReady = true;
          this.#worker.unref();
        }
        resolve();
      });
      this.#worker.once("exit", resolve);
    });
    this.#worker.once("error", onLost);
    this.#ended = new Promise((resolve) => {
      this.#worker.once("exit", () => {
        this.#isReady = false;
        this.#end([]);
        resolve();
      });
    });
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /**
   * Runs one batch at a time. Resolves with no results if the thread ends early. Returns undefined if the jobs can't be
   * cloned; nothing was sent then.
   */
  execute(jobs: readonly WriteJob[]): Promise<readonly WriteJobResult[]> | undefined {
    try {
      this.#worker.postMessage(jobs);
    } catch {
      return undefined;
    }
    this.#worker.ref();
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  close(): Promise<void> {
    this.#isReady = false;
    this.#isClosing = true;
    this.#worker.ref();
    this.#worker.postMessage("close");
    return this.#ended;
  }

  #end(results: readonly WriteJobResult[]): void {
    this.#worker.unref();
    this.#resolve?.(results);
    this.#resolve = undefined;
  }
}
