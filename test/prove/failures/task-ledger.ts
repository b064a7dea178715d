import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

/** A response. `status` is 0 if the connection failed. */
export type TaskResponse = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
};

type Entry = { readonly idempotencyKey: string; readonly apiKey: string; readonly body: string; id?: string };

/** No response takes longer, because a commit waits for at most five seconds. */
const maxResponseMs = 30_000;

/**
 * Creates tasks over HTTP, each with its own idempotency key, and checks at the end that every confirmed task exists
 * once, and no task twice.
 */
export class Ledger {
  baseUrl: string;
  readonly #keys: readonly string[];
  readonly #entries: Entry[] = [];
  #turn = 0;
  readonly statuses = new Map<number, number>();

  constructor(baseUrl: string, keys: readonly string[]) {
    this.baseUrl = baseUrl;
    this.#keys = keys;
  }

  get acknowledged(): number {
    return this.#entries.filter(({ id }) => id !== undefined).length;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** Creates a task with a description of this length. */
  async make(length = 20): Promise<TaskResponse> {
    const idempotencyKey = randomUUID();
    const body = JSON.stringify({ title: idempotencyKey, description: "x".repeat(length) });
    const entry = { idempotencyKey, apiKey: this.#key(), body };
    this.#entries.push(entry);
    return this.#send(entry);
  }

  /** Retries all requests without a successful response. Returns how many succeeded. */
  async retry(): Promise<number> {
    const before = this.acknowledged;
    for (const entry of this.#entries) if (entry.id === undefined) await this.#send(entry);
    return this.acknowledged - before;
  }

  async read(path: string): Promise<TaskResponse> {
    return fetchJson(this.baseUrl + path, { headers: { "x-api-key": this.#key() } });
  }

  /** Asserts that every confirmed task exists once, with its ID, and no other task twice. */
  async assertStored(): Promise<void> {
    const found = new Map<string, string[]>();
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { status, body } = await this.read(`/tasks?limit=200${cursor && `&cursor=${cursor}`}`);
      assert.equal(status, 200, JSON.stringify(body));
      const page = body as { data: { id: string; title: string }[]; nextCursor: string | null };
      for (const { id, title } of page.data) found.set(title, [...(found.get(title) ?? []), id]);
      cursor = page.nextCursor;
    }
    const wrong = this.#entries.filter(({ idempotencyKey, id }) => {
      const ids = found.get(idempotencyKey) ?? [];
      return id === undefined ? ids.length > 1 : ids.length !== 1 || ids[0] !== id;
    });
    assert.deepEqual(wrong, []);
  }

  /** Asserts that all requests succeeded, and that a retry is a replay. */
  async assertAllCreated(): Promise<void> {
    assert.equal(this.acknowledged, this.size);
    await this.assertStored();
    const [entry] = this.#entries;
    assert.ok(entry !== undefined);
    const replay = await this.#send(entry);
    assert.equal(replay.headers.get("idempotent-replayed"), "true");
  }

  async #send(entry: Entry): Promise<TaskResponse> {
    const { idempotencyKey, apiKey, body } = entry;
    const headers = { "x-api-key": apiKey, "idempotency-key": idempotencyKey, "content-type": "application/json" };
    const response = await fetchJson(`${this.baseUrl}/tasks`, { method: "POST", headers, body });
    this.statuses.set(response.status, (this.statuses.get(response.status) ?? 0) + 1);
    if (response.status === 201) {
      const { id } = (response.body as { data: { id: string } }).data;
      if (entry.id !== undefined) assert.equal(id, entry.id, "one idempotency key created two tasks");
      entry.id = id;
    } else if (response.status !== 0) assertUnavailable(response);
    return response;
  }

  #key(): string {
    return this.#keys[this.#turn++ % this.#keys.length] ?? "";
  }
}

/** Asserts that the response is the documented 503. */
export function assertUnavailable({ status, headers, body }: TaskResponse): void {
  const requestId = headers.get("x-request-id");
  const message = "Temporarily unavailable. Retry with the same Idempotency-Key.";
  const error = { code: "internal_error", message, details: { requestId } };
  assert.deepEqual([status, headers.get("retry-after"), body], [503, "1", { error }]);
}

async function fetchJson(url: string, init: RequestInit): Promise<TaskResponse> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(maxResponseMs) });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as TaskResponse["body"],
    };
  } catch (error) {
    // A closed connection is allowed here. A timeout is an error of the server.
    if ((error as Error).name === "TimeoutError") throw error;
    return { status: 0, headers: new Headers(), body: {} };
  }
}
