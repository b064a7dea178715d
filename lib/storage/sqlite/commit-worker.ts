import { parentPort, workerData } from "node:worker_threads";
import type { WorkerMessage } from "./commit-worker-client.ts";
import { encodeResult } from "./commit-worker-client.ts";
import { type FileIdentity, identifyFile } from "./file-system.ts";
import { openSecondWriter } from "./open.ts";
import { TransactionRunner, type WriteJob } from "./transaction-runner.ts";

type Data = { readonly file: string; readonly opened: FileIdentity; readonly schemaVersion: number };
const { file, opened, schemaVersion } = workerData as Data;
// Check before opening, because opening writes to the file.
assertSameFile();
const database = openSecondWriter(file);
assertSameFile();
const transactions = new TransactionRunner(database, schemaVersion);

function assertSameFile(): void {
  const found = identifyFile(file);
  if (found?.file !== opened.file || found.log !== opened.log)
    throw new Error(`${file} was replaced while it was open.`);
}

function send(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}

parentPort?.on("message", (message: readonly WriteJob[] | "close") => {
  if (message === "close") {
    database.close();
    parentPort?.close();
    return;
  }
  send({ results: transactions.run(message).map(encodeResult) });
});
send("ready");
