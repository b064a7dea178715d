import { Worker } from "node:worker_threads";
import { SqliteError } from "better-sqlite3";
import { NewerSchema } from "../newer-schema.ts";
import { StorageUnavailable, WriteConflict } from "../storage.ts";
import type { WorkerEntry } from "./bundled-files.ts";
import type { FileIdentity } from "./file-system.ts";
import { latestVersion, migrations } from "./schema.ts";
import type { WriteJob, WriteJobResult } from "./transaction-runner.ts";

/** A message of the commit worker: it is ready, or the results of a batch. */
export type WorkerMessage = "ready" | { readonly results: readonly EncodedResult[] };

/** Limits the memory for short-lived objects, for which V8 allows up to 192 MiB. A commit has few others. */
const resourceLimits = { maxYoungGenerationSizeMb: 3 };

/**
 * Runs batches of commits on a worker thread with its own connection. Never becomes ready if the thread can't start.
 */
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
    // An installation may have replaced the files of the worker, so it doesn't use their version.
    const workerData = { ...options.workerData, file, opened, schemaVersion: latestVersion(migrations) };
    this.#worker = new Worker(code, { ...options, name: "commits", workerData, resourceLimits });
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

type Conflict = Pick<WriteConflict, "reason" | "kind" | "field" | "id">;

/** An encoded error. Structured cloning would drop the class of an error, and the code of a SQLite error. */
type EncodedError =
  | { readonly conflict: Conflict }
  | { readonly newerSchema: Pick<NewerSchema, "found" | "known"> }
  | { readonly unavailable: string; readonly cause: EncodedError }
  | { readonly sqlite: { readonly message: string; readonly code: string; readonly stack: string | undefined } }
  | { readonly other: unknown };

/** A result in a form that can be sent between threads. */
type EncodedResult = Exclude<WriteJobResult, { readonly error: unknown }> | { readonly error: EncodedError };

export function encodeResult(result: WriteJobResult): EncodedResult {
  return typeof result === "object" && "error" in result ? { error: encodeError(result.error) } : result;
}

function decodeResult(encoded: EncodedResult): WriteJobResult {
  return typeof encoded === "object" && "error" in encoded ? { error: decodeError(encoded.error) } : encoded;
}

function encodeError(error: unknown): EncodedError {
  if (error instanceof WriteConflict) {
    const { reason, kind, field, id } = error;
    return { conflict: { reason, kind, field, id } };
  }
  if (error instanceof NewerSchema) return { newerSchema: { found: error.found, known: error.known } };
  if (error instanceof StorageUnavailable) return { unavailable: error.message, cause: encodeError(error.cause) };
  if (!(error instanceof SqliteError)) return { other: error };
  const { message, code, stack } = error;
  return { sqlite: { message, code, stack } };
}

function decodeError(error: EncodedError): unknown {
  if ("conflict" in error) {
    const { reason, kind, field, id } = error.conflict;
    return new WriteConflict(reason, kind, field, id);
  }
  if ("newerSchema" in error) return new NewerSchema(error.newerSchema.found, error.newerSchema.known);
  if ("unavailable" in error) return new StorageUnavailable(error.unavailable, { cause: decodeError(error.cause) });
  if ("other" in error) return error.other;
  const { message, code, stack } = error.sqlite;
  return Object.assign(new SqliteError(message, code), { stack });
}
