const maxBatchedSize = 64 * 1024;
/**
 * Writes responses: the first of an event loop tick at once, the others together at the end of the tick. Waking a
 * sleeping client costs more than the rest of a write, and a client stays awake while responses are written in a row.
 */
export class ResponseBatcher {
    #later;
    /** @param size length of the body. A large response is written at once, because it would hold memory while it waits. */
    send(size, write) {
        if (size > maxBatchedSize)
            return void write();
        if (this.#later !== undefined)
            return void this.#later.push(write);
        this.#later = [];
        setImmediate(() => this.#flush());
        write();
    }
    #flush() {
        const writes = this.#later ?? [];
        this.#later = undefined;
        for (const write of writes)
            write();
    }
}
