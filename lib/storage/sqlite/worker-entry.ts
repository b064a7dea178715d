import type { WorkerOptions } from "node:worker_threads";

export type WorkerEntry = { readonly code: URL | string; readonly options: WorkerOptions };

/** The code of the thread for commits: beside this file, and like it in TypeScript or built. Undefined where there is none. */
export function workerEntry(): WorkerEntry | undefined {
  const [ending, execArgv] = import.meta.url.endsWith(".ts") ? ["ts", ["--import", "tsx"]] : ["js", []];
  return { code: new URL(`./commit-worker.${ending}`, import.meta.url), options: { execArgv } };
}
