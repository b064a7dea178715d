import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { sendHttp } from "../../support/http-request.ts";
import type { ServerGroup } from "./program-builds.ts";

/** The part of a response that a replay repeats. */
export type StoredResponse = {
  readonly status: number;
  readonly text: string;
  readonly location: string | null;
  readonly replayed: boolean;
};

/** A POST with an idempotency key, and its successful responses. */
export type Post = {
  readonly key: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly responses: StoredResponse[];
};

/** The servers and the random choices of a client, and the signal that stops it. */
export type ClientOptions = {
  readonly servers: Pick<ServerGroup, "now" | "onResponse">;
  readonly random: () => number;
  readonly signal: AbortSignal;
};

/** The base path of the integration endpoints. The paths for admins are one level above. */
export const base = "/integrations/v1";

/** A client that sends each POST with the same key until it gets a response, even if the server is killed. */
export class Client {
  readonly posts: Post[] = [];
  /** Number of connections that broke before the response was complete. */
  broken = 0;
  readonly #options: ClientOptions;
  readonly #credentials: readonly Readonly<Record<string, string>>[];
  #sent = 0;

  /** The credentials belong to one caller. They are used in turn. */
  constructor(options: ClientOptions, credentials: readonly Readonly<Record<string, string>>[]) {
    this.#options = options;
    this.#credentials = credentials;
  }

  /** Returns a random integer below the limit. */
  pick(limit: number): number {
    return Math.floor(this.#options.random() * limit);
  }

  /** Sends a POST until it has succeeded once or twice, sometimes twice at the same time. Returns `data`. */
  async post(path: string, body: Post["body"], key: string = randomUUID()): Promise<Record<string, unknown>> {
    const post: Post = { key, path, body, responses: [] };
    this.posts.push(post);
    const wanted = this.pick(4) === 0 ? 2 : 1;
    while (post.responses.length < wanted) {
      const together = this.pick(8) === 0 ? [1, 2] : [1];
      const sent = together.map(() => this.send("POST", path, body, { "idempotency-key": key }));
      for (const response of await Promise.all(sent)) {
        if (response === undefined) continue;
        assert.ok(response.status < 300, `POST ${path} was onResponse ${response.status} ${response.text}`);
        post.responses.push(response);
      }
    }
    return JSON.parse(post.responses[0]?.text ?? "").data;
  }

  /** Sends a request until there is a response. */
  async sendUntilResponse(method: string, path: string): Promise<StoredResponse> {
    for (;;) {
      const response = await this.send(method, path);
      if (response !== undefined) return response;
    }
  }

  /** Returns undefined if the connection broke, or if the rate limit was reached and the client has waited. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    more: Readonly<Record<string, string>> = {},
  ): Promise<StoredResponse | undefined> {
    const { servers, signal } = this.#options;
    const { url } = await servers.now();
    const credential = this.#credentials[this.#sent++ % this.#credentials.length];
    const headers = { ...credential, ...more, ...(body === undefined ? {} : { "content-type": "application/json" }) };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    try {
      const { status, headers: got, text } = await sendHttp(url + path, { method, headers, signal, ...content });
      servers.onResponse();
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
