import { parentPort, workerData } from "node:worker_threads";
import type { Said } from "./commit-worker-client.ts";
import { type Standing, standingAt } from "./file-identity.ts";
import { openBeside } from "./open.ts";
import { carried } from "./result-codec.ts";
import { type Task, Transactions } from "./transaction-runner.ts";

/** What runs in the thread for commits: see commit-thread.ts, which starts it. */

const { file, opened } = workerData as { readonly file: string; readonly opened: Standing };
// To open another file would write to it already.
assertStands();
const database = openBeside(file);
assertStands();
const transactions = new Transactions(database);

function assertStands(): void {
  const found = standingAt(file);
  if (found?.file !== opened.file || found.log !== opened.log)
    throw new Error(`${file} is not the file any more that this program opened.`);
}

function say(said: Said): void {
  parentPort?.postMessage(said);
}

parentPort?.on("message", (asked: readonly Task[] | "close") => {
  if (asked === "close") {
    database.close();
    parentPort?.close();
    return;
  }
  const results = transactions.run(asked);
  say({ results: results === "busy" ? "busy" : results.map(carried) });
});
say("ready");
