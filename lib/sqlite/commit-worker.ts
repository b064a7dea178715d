import { parentPort, workerData } from "node:worker_threads";
import { carried } from "./carried.ts";
import type { Said } from "./commit-thread.ts";
import { openBeside } from "./file.ts";
import { standingAt } from "./standing.ts";
import { type Task, Transactions } from "./transactions.ts";

/** What runs in the thread for commits: see commit-thread.ts, which starts it. */

const { file } = workerData as { readonly file: string };
const database = openBeside(file);
const transactions = new Transactions(database);

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
say({ opened: standingAt(file) });
