/** The oldest are forgotten beyond so many requests, or so many bytes of bodies: a server may run for days. */
const entriesMax = 10_000;
const bytesMax = 64 * 1024 * 1024;
/** The requests received, the oldest first. */
export class Journal {
    #received = [];
    #bytes = 0;
    get entries() {
        return this.#received.map((each) => each.entry());
    }
    /** Notes a request that has begun. */
    begin(request, path, operation) {
        const received = new Received(request, path, operation, (bytes) => this.#grow(bytes));
        this.#received.push(received);
        this.#grow(0);
        return received;
    }
    clear() {
        this.#received = [];
        this.#bytes = 0;
    }
    #grow(bytes) {
        this.#bytes += bytes;
        while (this.#received.length > entriesMax || (this.#bytes > bytesMax && this.#received.length > 1)) {
            this.#bytes -= this.#received.shift()?.length ?? 0;
        }
    }
}
/** A request whose body is recorded when it is read. */
export class Received {
    status = null;
    #body = new Uint8Array();
    #head;
    #onBytes;
    constructor({ method, headers }, path, operation, onBytes) {
        this.#head = { method, path, headers: Object.fromEntries(headers), operation };
        this.#onBytes = onBytes;
    }
    get length() {
        return this.#body.length;
    }
    /** Records the body. */
    record(body) {
        this.#body = body;
        this.#onBytes(body.length);
        return body;
    }
    entry() {
        const { method, path, headers, operation } = this.#head;
        return { method, path, headers, body: contentOf(Buffer.from(this.#body)), operation, status: this.status };
    }
}
function contentOf(bytes) {
    if (bytes.length === 0)
        return null;
    const text = bytes.toString();
    try {
        return JSON.parse(text);
    }
    catch {
        return text;
    }
}
