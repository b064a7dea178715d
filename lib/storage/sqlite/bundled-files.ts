import { readFileSync } from "node:fs";
import type { WorkerOptions } from "node:worker_threads";

/** The text of schema.sql. */
export const schemaSql = readFileSync(new URL("../../../schema.sql", import.meta.url), "utf8");

export type WorkerEntry = { readonly code: URL | string; readonly options: WorkerOptions };

/** Returns the code of the commit worker, in TypeScript or built like this file. */
export function workerEntry(): WorkerEntry | undefined {
  const [ending, execArgv] = import.meta.url.endsWith(".ts") ? ["ts", ["--import", "tsx"]] : ["js", []];
  return { code: new URL(`./commit-worker.${ending}`, import.meta.url), options: { execArgv } };
}
