/** A request as it was received, with the status of its response. */
export type JournalEntry = {
  readonly method: string;
  /** Includes the query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON, or the text if it isn't JSON. Null if the body is empty. */
  readonly body: unknown;
  /** The name of the operation. Null if no operation has this path and method. */
  readonly operation: string | null;
  /** Null while the request runs, and if the connection was dropped. */
  readonly status: number | null;
};

/** The oldest entries are removed beyond these limits, so that a server can run for days. */
const maxEntries = 10_000;
const maxBodyBytes = 64 * 1024 * 1024;

/** The received requests, oldest first. */
export class Journal {
  #requests: JournalRequest[] = [];
  #bytes = 0;

  get entries(): readonly JournalEntry[] {
    return this.#requests.map((each) => each.entry());
  }

  /** Adds a request before its body is read. */
  begin(request: Request, path: string, operation: string | null): JournalRequest {
    const added = new JournalRequest(request, path, operation, (bytes) => this.#grow(bytes));
    this.#requests.push(added);
    this.#grow(0);
    return added;
  }

  clear(): void {
    this.#requests = [];
    this.#bytes = 0;
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    while (this.#requests.length > maxEntries || (this.#bytes > maxBodyBytes && this.#requests.length > 1)) {
      this.#bytes -= this.#requests.shift()?.length ?? 0;
    }
  }
}

/** A request whose body and status are added later. */
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

  /** Adds the body, and returns it. */
  record(body: Uint8Array): Uint8Array {
    this.#body = body;
    this.#onBytes(body.length);
    return body;
  }

  entry(): JournalEntry {
    const { method, path, headers, operation } = this.#head;
    return { method, path, headers, body: parseContent(Buffer.from(this.#body)), operation, status: this.status };
  }
}

function parseContent(bytes: Buffer): unknown {
  if (bytes.length === 0) return null;
  const text = bytes.toString();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
