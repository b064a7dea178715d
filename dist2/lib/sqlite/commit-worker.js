import { parentPort, workerData } from "node:worker_threads";
import { carried } from "./carried.js";
import { openBeside } from "./file.js";
import { standingAt } from "./standing.js";
import { Transactions } from "./transactions.js";
/** What runs in the thread for commits: see commit-thread.ts, which starts it. */
const { file, opened } = workerData;
// To open another file would write to it already.
assertStands();
const database = openBeside(file);
assertStands();
const transactions = new Transactions(database);
function assertStands() {
    const found = standingAt(file);
    if (found?.file !== opened.file || found.log !== opened.log)
        throw new Error(`${file} is not the file any more that this program opened.`);
}
function say(said) {
    parentPort?.postMessage(said);
}
parentPort?.on("message", (asked) => {
    if (asked === "close") {
        database.close();
        parentPort?.close();
        return;
    }
    const results = transactions.run(asked);
    say({ results: results === "busy" ? "busy" : results.map(carried) });
});
say("ready");
