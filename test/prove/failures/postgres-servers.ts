import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type PostgresServer, startPostgres } from "../../support/postgres-server.ts";
import { type Greeting, serving, tenantFolder } from "../../support/program.ts";
import { testTenant } from "../../support/tenants.ts";
import { seed, seededRandom } from "../size.ts";

const one = testTenant(1);
export const random = seededRandom();

export type Task = { readonly id: string; readonly title: string; readonly updatedAt: string };
type Body = { readonly data: readonly Task[]; readonly nextCursor: string | null };

export const counted = {
  "crashes of PostgreSQL": 0,
  "kills of a server": 0,
  POSTs: 0,
  "responses 503": 0,
  "broken connections": 0,
};

/** Two servers. One of them at a time may be down. */
export class Servers {
  readonly #t: TestContext;
  readonly #args: readonly string[];
  readonly #started: Awaited<ReturnType<typeof serving>>[] = [];
  /** Whether the test has ended. */
  #isDone = false;

  constructor(t: TestContext, args: readonly string[]) {
    this.#t = t;
    this.#args = args;
    t.after(() => {
      this.#isDone = true;
    });
  }

  async start(index: number): Promise<void> {
    this.#started[index] = await serving(this.#t, ...this.#args);
  }

  async kill(index: number): Promise<void> {
    this.#started[index]?.child.kill("SIGKILL");
    await this.#started[index]?.ended;
    counted["kills of a server"]++;
  }

  /** Sends a request to either server until it returns a complete response that isn't 503. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    for (;;) {
      if (this.#isDone) throw new Error("the test has ended");
      const { baseUrl } = this.#started[Math.floor(random() * 2)]?.greeting ?? ({} as Partial<Greeting>);
      const headers = { ...init.headers, "x-api-key": one.key };
      const response = await fetch(`${baseUrl}${path}`, {
        ...init,
        headers,
        signal: AbortSignal.timeout(60_000),
      }).catch((error: Error) => {
        assert.notEqual(error.name, "TimeoutError", "a request got no response");
        counted["broken connections"]++;
      });
      if (response !== undefined && response.status !== 503) return response;
      if (response !== undefined) counted["responses 503"]++;
      await response?.text().catch(() => {});
      await pause(20);
    }
  }

  /** Stops both servers and asserts that they exit with 0. */
  async stop(): Promise<void> {
    for (const { child } of this.#started) child.kill("SIGTERM");
    for (const { ended } of this.#started) assert.equal((await ended).code, 0, (await ended).stderr);
  }
}

/** Syncs with updatedSince and cursors while others write, then once more to the end. */
export async function follow(servers: Servers, isDone: () => boolean): Promise<Map<string, Task>> {
  const seen = new Map<string, Task>();
  let watermark: string | null = null;
  for (let last = false; !last; ) {
    last = isDone();
    const since: string = watermark === null ? "" : `&updatedSince=${watermark}`;
    for (let query: string | null = `limit=50${since}`; query !== null; ) {
      const response: Response = await servers.fetch(`/tasks?${query}`);
      const body = (await response.json()) as Body;
      assert.equal(response.status, 200, JSON.stringify(body));
      for (const task of body.data) seen.set(task.id, task);
      watermark = response.headers.get("x-next-updated-since");
      query = body.nextCursor === null ? null : `limit=50&cursor=${body.nextCursor}`;
    }
  }
  return seen;
}

/** Starts PostgreSQL with a tenant, and both servers. */
export async function begin(t: TestContext): Promise<{ readonly postgres: PostgresServer; readonly servers: Servers }> {
  t.diagnostic(`FC_SEED=${seed}`);
  const postgres = await startPostgres();
  t.after(() => postgres.stop());
  const { file } = tenantFolder(one, t);
  const servers = new Servers(t, ["--database", postgres.url, "--fixtures", file, "--rate-limit", "99999"]);
  await servers.start(0);
  await servers.start(1);
  return { postgres, servers };
}
