import type { Asked } from "../http/asked.ts";

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
  #received: Received[] = [];
  #bytes = 0;

  get entries(): readonly JournalEntry[] {
    return this.#received.map((each) => each.entry());
  }

  /** Notes a request that has begun. */
  begin(asked: Asked, path: string, operation: string | null): Received {
    const received = new Received(asked, path, operation, (bytes) => this.#grow(bytes));
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

/** A request that is listened to while it comes in. */
export class Received {
  status: number | null = null;
  length = 0;
  readonly #chunks: Uint8Array[] = [];
  readonly #head: Pick<JournalEntry, "method" | "path" | "headers" | "operation">;
  readonly #onBytes: (length: number) => void;

  constructor(asked: Asked, path: string, operation: string | null, onBytes: (length: number) => void) {
    this.#head = { method: asked.method, path, headers: headersOf(asked), operation };
    this.#onBytes = onBytes;
  }

  /** The same request, of whose body what is read is kept. */
  heard(asked: Asked): Asked {
    const { method, body } = asked;
    return {
      method,
      body: body && this.#kept(body),
      address: () => asked.address(),
      header: (name) => asked.header(name),
      request: () => asked.request(),
    };
  }

  async *#kept(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      this.#chunks.push(chunk);
      this.length += chunk.length;
      this.#onBytes(chunk.length);
      yield chunk;
    }
  }

  entry(): JournalEntry {
    const { method, path, headers, operation } = this.#head;
    return { method, path, headers, body: contentOf(Buffer.concat(this.#chunks)), operation, status: this.status };
  }
}

/** None where the request is one that no Request can be made of. */
function headersOf(asked: Asked): Readonly<Record<string, string>> {
  try {
    return Object.fromEntries(asked.request().headers);
  } catch {
    return {};
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
