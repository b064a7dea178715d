/** One request as it was received, and how it was answered. */
export type JournalEntry = {
  readonly method: string;
  /** With the query string, as it was sent. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON that was sent; the text where it was no JSON, null where nothing was. */
  readonly body: unknown;
  /** The id of the operation; null where path and method lead to none. */
  readonly operation: string | null;
  /** Null while it is under way, and where the connection was dropped. */
  readonly status: number | null;
};

/** The oldest are forgotten beyond so many requests, or so many bytes of bodies: a server may run for days. */
const entriesMax = 10_000;
const bytesMax = 64 * 1024 * 1024;

/** The requests received, the oldest first. */
export class Journal {
  #received: JournalRequest[] = [];
  #bytes = 0;

  get entries(): readonly JournalEntry[] {
    return this.#received.map((each) => each.entry());
  }

  /** Notes a request that has begun. */
  begin(request: Request, path: string, operation: string | null): JournalRequest {
    const received = new JournalRequest(request, path, operation, (bytes) => this.#grow(bytes));
    this.#received.push(received);
    this.#grow(0);
    return received;
  }

  clear(): void {
    this.#received = [];
    this.#bytes = 0;
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    while (this.#received.length > entriesMax || (this.#bytes > bytesMax && this.#received.length > 1)) {
      this.#bytes -= this.#received.shift()?.length ?? 0;
    }
  }
}

/** A request whose body is recorded when it is read. */
export class JournalRequest {
  status: number | null = null;
  #body: Uint8Array = new Uint8Array();
  readonly #head: Pick<JournalEntry, "method" | "path" | "headers" | "operation">;
  readonly #onBytes: (length: number) => void;

  constructor({ method, headers }: Request, path: string, operation: string | null, onBytes: (length: number) => void) {
    this.#head = { method, path, headers: Object.fromEntries(headers), operation };
    this.#onBytes = onBytes;
  }

  get length(): number {
    return this.#body.length;
  }

  /** Records the body. */
  record(body: Uint8Array): Uint8Array {
    this.#body = body;
    this.#onBytes(body.length);
    return body;
  }

  entry(): JournalEntry {
    const { method, path, headers, operation } = this.#head;
    return { method, path, headers, body: contentOf(Buffer.from(this.#body)), operation, status: this.status };
  }
}

function contentOf(bytes: Buffer): unknown {
  if (bytes.length === 0) return null;
  const text = bytes.toString();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
