import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { postgresAbsent, startPostgres } from "../postgres-server.ts";
import { type Greeting, serving, tenantFolder } from "../program.ts";
import { testTenant } from "../tenants.ts";
import { dice, figures, seed, size } from "./size.ts";

/**
 * Two server processes on one PostgreSQL, which falls as by a power switch and comes back, while one of the servers is
 * killed and started again. Clients send each POST under a key until it is answered, to either server; a sync goes on.
 * In the end each POST has happened once, and the sync has every record.
 */

const fallsMax = size(3, 100);
const writers = 6;
const one = testTenant(1);
const roll = dice();

type Task = { readonly id: string; readonly title: string; readonly updatedAt: string };
type Body = { readonly data: readonly Task[]; readonly nextCursor: string | null };

const counted = {
  "falls of PostgreSQL": 0,
  "kills of a server": 0,
  POSTs: 0,
  "answers 503": 0,
  "broken connections": 0,
};

/** The servers, of which one at a time may be gone. */
class Servers {
  readonly #t: TestContext;
  readonly #args: readonly string[];
  readonly #started: Awaited<ReturnType<typeof serving>>[] = [];

  constructor(t: TestContext, args: readonly string[]) {
    this.#t = t;
    this.#args = args;
  }

  async start(index: number): Promise<void> {
    this.#started[index] = await serving(this.#t, ...this.#args);
  }

  async kill(index: number): Promise<void> {
    this.#started[index]?.child.kill("SIGKILL");
    await this.#started[index]?.ended;
    counted["kills of a server"]++;
  }

  /** Asks either, and again until the answer is neither 503 nor lost on the way. */
  async ask(path: string, init: RequestInit = {}): Promise<Response> {
    for (;;) {
      const { baseUrl } = this.#started[Math.floor(roll() * 2)]?.greeting ?? ({} as Partial<Greeting>);
      const headers = { ...init.headers, "x-api-key": one.key };
      const response = await fetch(`${baseUrl}${path}`, {
        ...init,
        headers,
        signal: AbortSignal.timeout(60_000),
      }).catch((error: Error) => {
        assert.notEqual(error.name, "TimeoutError", "a request was left hanging");
        counted["broken connections"]++;
      });
      if (response !== undefined && response.status !== 503) return response;
      if (response !== undefined) counted["answers 503"]++;
      await response?.text().catch(() => {});
      await pause(20);
    }
  }

  /** Ends both, as they are asked to; neither may have ended before. */
  async stop(): Promise<void> {
    for (const { child } of this.#started) child.kill("SIGTERM");
    for (const { ended } of this.#started) assert.equal((await ended).code, 0, (await ended).stderr);
  }
}

/** Makes tasks until it is told to end, each under a key of its own; answers the id that each title was given. */
async function write(servers: Servers, name: string, isOver: () => boolean): Promise<Map<string, string>> {
  const made = new Map<string, string>();
  while (!isOver()) {
    const title = `${name}.${made.size}`;
    const headers = { "content-type": "application/json", "idempotency-key": randomUUID() };
    const post = { method: "POST", headers, body: JSON.stringify({ title }) };
    const first = await servers.ask("/tasks", post);
    // An answer that broke off in its middle is asked for again, under the same key.
    const text = await first.text().catch(async () => (await servers.ask("/tasks", post)).text());
    assert.equal(first.status, 201, text);
    made.set(title, (JSON.parse(text) as { data: Task }).data.id);
    counted.POSTs++;
  }
  return made;
}

/** Follows with updatedSince and cursors while others write, and once more to the end. */
async function follow(servers: Servers, isOver: () => boolean): Promise<Map<string, Task>> {
  const seen = new Map<string, Task>();
  let watermark: string | null = null;
  for (let last = false; !last; ) {
    last = isOver();
    const since: string = watermark === null ? "" : `&updatedSince=${watermark}`;
    for (let query: string | null = `limit=50${since}`; query !== null; ) {
      const response: Response = await servers.ask(`/tasks?${query}`);
      const body = (await response.json()) as Body;
      assert.equal(response.status, 200, JSON.stringify(body));
      for (const task of body.data) seen.set(task.id, task);
      watermark = response.headers.get("x-next-updated-since");
      query = body.nextCursor === null ? null : `limit=50&cursor=${body.nextCursor}`;
    }
  }
  return seen;
}

test("over two servers each POST happens once and no record is missed, however often PostgreSQL falls", {
  skip: postgresAbsent,
  timeout: size(300_000, 7_200_000),
}, async (t) => {
  t.diagnostic(`FC_SEED=${seed}`);
  const postgres = await startPostgres();
  t.after(() => postgres.stop());
  const { file, remove } = tenantFolder(one);
  t.after(remove);
  const servers = new Servers(t, ["--database", postgres.url, "--fixtures", file, "--rate-limit", "99999"]);
  await servers.start(0);
  await servers.start(1);
  let over = false;
  const isOver = (): boolean => over;
  const falling = async (): Promise<void> => {
    for (let fall = 0; fall < fallsMax; fall++) {
      await pause(roll() * 1_000);
      await postgres.kill();
      counted["falls of PostgreSQL"]++;
      await pause(roll() * 300);
      await postgres.start();
      await pause(roll() * 500);
      await servers.kill(fall % 2);
      await servers.start(fall % 2);
    }
    over = true;
  };
  const names = Array.from({ length: writers }, (_, index) => `Writer ${index}`);
  const falls = falling().finally(() => {
    over = true;
  });
  const writing = Promise.all(names.map((name) => write(servers, name, isOver)));
  const [seen, made] = await Promise.all([follow(servers, isOver), writing, falls]);
  // The last walk of the sync may have begun before the last answers.
  const rest = await follow(servers, () => true);
  await servers.stop();

  const answered = made.flatMap((each) => [...each]);
  const titles = Map.groupBy([...rest.values()], ({ title }) => title);
  for (const [title, id] of answered)
    assert.deepEqual(
      titles.get(title)?.map((task) => task.id),
      [id],
      title,
    );
  const own = [...rest.values()].filter(({ title }) => title.startsWith("Writer "));
  assert.equal(own.length, answered.length, "there are tasks that nobody was told of");
  for (const [id, task] of seen) assert.deepEqual(rest.get(id), task);
  const newest =
    [...seen.values()]
      .map(({ updatedAt }) => updatedAt)
      .sort()
      .at(-1) ?? "";
  const missed = [...rest.values()].filter(({ id, updatedAt }) => updatedAt <= newest && !seen.has(id));
  assert.deepEqual(missed, []);
  assert.ok(answered.length > fallsMax * 5, `only ${answered.length} POSTs`);
  figures(t, "postgres-restart", { ...counted, "done twice or lost": 0, "records missed": 0 });
});
