import { Worker } from "node:worker_threads";
import type { FileIdentity } from "./file-identity.ts";
import { decodeResult, type EncodedResult } from "./result-codec.ts";
import type { WriteJob, WriteJobResult } from "./transaction-runner.ts";
import type { WorkerEntry } from "./worker-entry.ts";

/** What the thread says: first that it has opened the file, then what became of the tasks that it was sent. */
export type WorkerMessage = "ready" | { readonly results: readonly EncodedResult[] };

/**
 * A thread with a connection of its own to a file, for commits. Where it cannot be had, as in a host that was bundled
 * into one file without its code, it is never ready.
 */
export class CommitWorker {
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  /** Resolves once it is ready, or never will be. */
  readonly started: Promise<void>;
  #isReady = false;
  #isClosing = false;
  #answer: ((results: readonly WriteJobResult[]) => void) | undefined;

  constructor(
    { code, options }: WorkerEntry,
    file: string,
    opened: FileIdentity,
    onLost: (error: Error) => void = () => {},
  ) {
    const workerData = { ...options.workerData, file, opened };
    this.#worker = new Worker(code, { ...options, name: "commits", workerData });
    this.started = new Promise((resolve) => {
      this.#worker.on("message", (said: WorkerMessage) => {
        if (said !== "ready") return this.#end(said.results.map(decodeResult));
        // A program may end beside a thread that has nothing to do, but not while it waits for its end.
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
   * To be called once at a time. Answers nothing of any task where the thread ends meanwhile. Undefined where something
   * in the tasks cannot be sent to a thread, a function for one: it was sent nothing.
   */
  execute(tasks: readonly WriteJob[]): Promise<readonly WriteJobResult[]> | undefined {
    try {
      this.#worker.postMessage(tasks);
    } catch {
      return undefined;
    }
    this.#worker.ref();
    return new Promise((resolve) => {
      this.#answer = resolve;
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
    this.#answer?.(results);
    this.#answer = undefined;
  }
}
