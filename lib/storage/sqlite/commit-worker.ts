import { parentPort, workerData } from "node:worker_threads";
import type { WorkerMessage } from "./commit-worker-client.ts";
import { type FileIdentity, identifyFile } from "./file-identity.ts";
import { openSecondWriter } from "./open.ts";
import { encodeResult } from "./result-codec.ts";
import { TransactionRunner, type WriteJob } from "./transaction-runner.ts";

/** What runs in the thread for commits: see commit-thread.ts, which starts it. */

const { file, opened } = workerData as { readonly file: string; readonly opened: FileIdentity };
// To open another file would write to it already.
assertStands();
const database = openSecondWriter(file);
assertStands();
const transactions = new TransactionRunner(database);

function assertStands(): void {
  const found = identifyFile(file);
  if (found?.file !== opened.file || found.log !== opened.log)
    throw new Error(`${file} is not the file any more that this program opened.`);
}

function say(said: WorkerMessage): void {
  parentPort?.postMessage(said);
}

parentPort?.on("message", (asked: readonly WriteJob[] | "close") => {
  if (asked === "close") {
    database.close();
    parentPort?.close();
    return;
  }
  say({ results: transactions.run(asked).map(encodeResult) });
});
say("ready");
