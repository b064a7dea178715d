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

/** A request whose body and status are set later. */
type RecordedRequest = Omit<JournalEntry, "body" | "status"> & { body: Uint8Array; status: number | null };

/** The received requests, oldest first. */
export class RequestJournal {
  #requests: RecordedRequest[] = [];
  #bytes = 0;

  get entries(): readonly JournalEntry[] {
    return this.#requests.map((request) => ({ ...request, body: parseContent(Buffer.from(request.body)) }));
  }

  /** Adds a request before its body is read. */
  begin({ method, headers }: Request, path: string, operation: string | null): RecordedRequest {
    const added = {
      method,
      path,
      headers: Object.fromEntries(headers),
      body: new Uint8Array(),
      operation,
      status: null,
    };
    this.#requests.push(added);
    this.#removeOldest();
    return added;
  }

  /** Adds the body of a request. */
  addBody(request: RecordedRequest, body: Uint8Array): void {
    request.body = body;
    this.#bytes += body.length;
    this.#removeOldest();
  }

  clear(): void {
    this.#requests = [];
    this.#bytes = 0;
  }

  #removeOldest(): void {
    while (this.#requests.length > maxEntries || (this.#bytes > maxBodyBytes && this.#requests.length > 1)) {
      this.#bytes -= this.#requests.shift()?.body.length ?? 0;
    }
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
