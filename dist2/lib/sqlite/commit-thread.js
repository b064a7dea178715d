import { Worker } from "node:worker_threads";
import { resultOf } from "./carried.js";
/**
 * A thread with a connection of its own to a file, for commits. Where it cannot be had, as in a host that was bundled
 * into one file without its code, it is never ready.
 */
export class CommitThread {
    #worker;
    #ended;
    /** Resolves once it is ready, or never will be. */
    started;
    #isReady = false;
    #isClosing = false;
    #answer;
    constructor({ code, options }, file, opened, onLost = () => { }) {
        const workerData = { ...options.workerData, file, opened };
        this.#worker = new Worker(code, { ...options, name: "commits", workerData });
        this.started = new Promise((resolve) => {
            this.#worker.on("message", (said) => {
                if (said !== "ready")
                    return this.#end(said.results === "busy" ? "busy" : said.results.map(resultOf));
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
    get isReady() {
        return this.#isReady;
    }
    /**
     * To be called once at a time. Answers nothing of any task where the thread ends meanwhile. Undefined where something
     * in the tasks cannot be sent to a thread, a function for one: it was sent nothing.
     */
    transact(tasks) {
        try {
            this.#worker.postMessage(tasks);
        }
        catch {
            return undefined;
        }
        this.#worker.ref();
        return new Promise((resolve) => {
            this.#answer = resolve;
        });
    }
    close() {
        this.#isReady = false;
        this.#isClosing = true;
        this.#worker.ref();
        this.#worker.postMessage("close");
        return this.#ended;
    }
    #end(results) {
        this.#worker.unref();
        this.#answer?.(results);
        this.#answer = undefined;
    }
}
