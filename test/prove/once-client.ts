import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Fleet } from "./once-program.ts";

/** What came back, as far as a replay must repeat it. */
export type Answer = {
  readonly status: number;
  readonly text: string;
  readonly location: string | null;
  readonly replayed: boolean;
};

/** One POST with a key, and every success that it was ever answered with. */
export type Post = {
  readonly key: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly answers: Answer[];
};

/** What a client may do with the program, and when it has to give up. */
export type World = {
  readonly lives: Pick<Fleet, "now" | "answered">;
  readonly roll: () => number;
  readonly signal: AbortSignal;
};

/** Where the integrations' paths begin, and the administrators' one level above. */
export const base = "/integrations/v1";

/** One who sends each POST again, with the same key, until it is answered, whatever becomes of the program meanwhile. */
export class Client {
  readonly posts: Post[] = [];
  /** How often a connection broke before an answer was whole. */
  broken = 0;
  readonly #world: World;
  readonly #credentials: readonly Readonly<Record<string, string>>[];
  #sent = 0;

  /** The credentials are those of one caller, and take turns. */
  constructor(world: World, credentials: readonly Readonly<Record<string, string>>[]) {
    this.#world = world;
    this.#credentials = credentials;
  }

  /** A number from 0 up to the limit. */
  pick(limit: number): number {
    return Math.floor(this.#world.roll() * limit);
  }

  /** Under a new key, until it has succeeded once or twice; now and then twice at the same time. Answers `data`. */
  async post(path: string, body: Post["body"], key: string = randomUUID()): Promise<Record<string, unknown>> {
    const post: Post = { key, path, body, answers: [] };
    this.posts.push(post);
    const wanted = this.pick(4) === 0 ? 2 : 1;
    while (post.answers.length < wanted) {
      const together = this.pick(8) === 0 ? [1, 2] : [1];
      const sent = together.map(() => this.send("POST", path, body, { "idempotency-key": key }));
      for (const answer of await Promise.all(sent)) {
        if (answer === undefined) continue;
        assert.ok(answer.status < 300, `POST ${path} was answered ${answer.status} ${answer.text}`);
        post.answers.push(answer);
      }
    }
    return JSON.parse(post.answers[0]?.text ?? "").data;
  }

  /** Sends until there is an answer. */
  async insist(method: string, path: string): Promise<Answer> {
    for (;;) {
      const answer = await this.send(method, path);
      if (answer !== undefined) return answer;
    }
  }

  /** Undefined where the connection broke, or where the rate was reached and has been waited for. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Answer | undefined> {
    const { lives, signal } = this.#world;
    const { url } = await lives.now();
    const credential = this.#credentials[this.#sent++ % this.#credentials.length];
    const headers = { ...credential, ...more, ...(body === undefined ? {} : { "content-type": "application/json" }) };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    try {
      const response = await fetch(url + path, { method, headers, signal, ...content });
      const text = await response.text();
      const { status, headers: got } = response;
      lives.answered();
      if (status !== 429) return { status, text, location: got.get("location"), replayed: isReplay(got) };
      await pause(Number(got.get("retry-after")) * 1000, undefined, { signal });
    } catch (error) {
      if (signal.aborted) throw error;
      this.broken++;
    }
    return undefined;
  }
}

function isReplay(headers: Headers): boolean {
  return headers.get("idempotent-replayed") === "true";
}
