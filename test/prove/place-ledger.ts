import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

/** What came back; `status` is 0 where nothing did. */
export type Answered = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
};

type Entry = { readonly idempotencyKey: string; readonly apiKey: string; readonly body: string; made?: string };

/** No answer takes longer, whatever the place suffers: a commit waits five seconds at the most. */
const answerMsMax = 30_000;

/**
 * Makes tasks over HTTP, each under an idempotency key of its own, and knows what must be there in the end: what was
 * answered once, and nothing twice.
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
    return this.#entries.filter(({ made }) => made !== undefined).length;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** Makes a new task with a description of this length. */
  async make(length = 20): Promise<Answered> {
    const idempotencyKey = randomUUID();
    const body = JSON.stringify({ title: idempotencyKey, description: "x".repeat(length) });
    const entry = { idempotencyKey, apiKey: this.#key(), body };
    this.#entries.push(entry);
    return this.#send(entry);
  }

  /** Sends everything that was not answered with success again, under the same keys. Answers how many now were. */
  async retry(): Promise<number> {
    const before = this.acknowledged;
    for (const entry of this.#entries) if (entry.made === undefined) await this.#send(entry);
    return this.acknowledged - before;
  }

  async read(path: string): Promise<Answered> {
    return answered(this.baseUrl + path, { headers: { "x-api-key": this.#key() } });
  }

  /** That every task that was answered for is there, once and under its id, and none other twice. */
  async assertKept(): Promise<void> {
    const found = new Map<string, string[]>();
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { status, body } = await this.read(`/tasks?limit=200${cursor && `&cursor=${cursor}`}`);
      assert.equal(status, 200, JSON.stringify(body));
      const page = body as { data: { id: string; title: string }[]; nextCursor: string | null };
      for (const { id, title } of page.data) found.set(title, [...(found.get(title) ?? []), id]);
      cursor = page.nextCursor;
    }
    const wrong = this.#entries.filter(({ idempotencyKey, made }) => {
      const ids = found.get(idempotencyKey) ?? [];
      return made === undefined ? ids.length > 1 : ids.length !== 1 || ids[0] !== made;
    });
    assert.deepEqual(wrong, []);
  }

  /** That all were answered for in the end, and every one is replayed as it was. */
  async assertAllMade(): Promise<void> {
    assert.equal(this.acknowledged, this.size);
    await this.assertKept();
    const [entry] = this.#entries;
    assert.ok(entry !== undefined);
    const replay = await this.#send(entry);
    assert.equal(replay.headers.get("idempotent-replayed"), "true");
  }

  async #send(entry: Entry): Promise<Answered> {
    const { idempotencyKey, apiKey, body, made } = entry;
    const headers = { "x-api-key": apiKey, "idempotency-key": idempotencyKey, "content-type": "application/json" };
    const answer = await answered(`${this.baseUrl}/tasks`, { method: "POST", headers, body });
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
    if (answer.status === 201) {
      const { id } = (answer.body as { data: { id: string } }).data;
      if (made !== undefined) assert.equal(id, made, "one idempotency key made two tasks");
      entry.made = id;
    } else if (answer.status !== 0) assertUnavailable(answer);
    return answer;
  }

  #key(): string {
    return this.#keys[this.#turn++ % this.#keys.length] ?? "";
  }
}

/** That it is the documented answer to what cannot be done just now. */
export function assertUnavailable({ status, headers, body }: Answered): void {
  const requestId = headers.get("x-request-id");
  const message = "Temporarily unavailable. Retry with the same Idempotency-Key.";
  const error = { code: "internal_error", message, details: { requestId } };
  assert.deepEqual([status, headers.get("retry-after"), body], [503, "1", { error }]);
}

async function answered(url: string, init: RequestInit): Promise<Answered> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(answerMsMax) });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answered["body"] };
  } catch (error) {
    // A timeout is a fault of the server's in every one of these trials; a connection that was cut is not.
    if ((error as Error).name === "TimeoutError") throw error;
    return { status: 0, headers: new Headers(), body: {} };
  }
}
