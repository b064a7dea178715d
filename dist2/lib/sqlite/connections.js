import { CommitThread } from "./commit-thread.js";
import { openReader } from "./file.js";
import { standingAt } from "./standing.js";
import { Statements } from "./statements.js";
import { threadCode } from "./thread-code.js";
import { Transactions } from "./transactions.js";
import { clockSql } from "./writer.js";
/** How long commits may have stopped the event loop before they get a thread, which costs about as much to start. */
const threadAfterMs = 100;
/** The two connections to one database, one that writes and one that reads; in memory they are the same. */
export class Connections {
    reader;
    reads;
    /** What was opened; undefined in memory. */
    standing;
    #writer;
    #transactions;
    #thread;
    #apart;
    #spentMs = 0;
    #hasTried = false;
    constructor(writer, reader, apart = {}) {
        this.#writer = writer;
        this.#apart = apart;
        this.#transactions = new Transactions(writer);
        this.reader = reader ?? (writer.memory ? writer : openReader(writer.name));
        this.reads = new Statements(this.reader);
        this.standing = writer.memory ? undefined : standingAt(writer.name);
    }
    get isOpen() {
        return this.reader.open;
    }
    /**
     * Runs these in one transaction: on this thread at first, and on one of its own once that has taken a while, so that
     * reads do not wait for the disk. Never rejects.
     */
    async transact(tasks) {
        if (!this.#hasTried && this.#pays())
            this.#thread = this.#start();
        if (this.#apart.commitThread)
            await this.#thread?.started;
        const apart = this.#thread?.isReady ? this.#thread.transact(tasks) : undefined;
        if (apart !== undefined)
            return apart;
        const begun = performance.now();
        const results = this.#transactions.run(tasks);
        this.#spentMs += performance.now() - begun;
        return results;
    }
    #pays() {
        return this.#apart.commitThread ?? this.#spentMs > threadAfterMs;
    }
    /** Once: where threads are forbidden, they stay so. */
    #start() {
        this.#hasTried = true;
        const { onCommitThreadLost: onLost } = this.#apart;
        try {
            const code = threadCode();
            return this.standing && code && new CommitThread(code, this.#writer.name, this.standing, onLost);
        }
        catch (error) {
            onLost?.(error);
            return undefined;
        }
    }
    /** The instant of the tenant's newest commit, 0 before its first. */
    clock(tenant) {
        return Number(this.reads.rows(clockSql).get(tenant)?.[0] ?? 0);
    }
    /** Whether all pages would fit into this many bytes: a file that only became shorter is not cut off. */
    fits(size) {
        const ask = (name) => Number(this.reader.pragma(name, { simple: true }));
        try {
            return size >= ask("page_count") * ask("page_size");
        }
        catch {
            // Even the first page is not whole.
            return false;
        }
    }
    /** What a database was made with, and no other has; a copy has it too. */
    secret() {
        return this.reads.get("SELECT value FROM settings WHERE name = 'cursor_secret'").get()?.value;
    }
    async close() {
        await this.#thread?.close();
        this.reader.close();
        this.#writer.close();
    }
}
