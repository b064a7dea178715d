import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { noPostgres } from "../../support/postgres-server.ts";
import { figures, size } from "../size.ts";
import { begin, counted, follow, random, type Servers, type Task } from "./postgres-servers.ts";

/**
 * Two servers use one PostgreSQL, which crashes and restarts while one of the servers is killed and restarted. Clients
 * send each POST with an idempotency key to either server until it succeeds, and a sync runs. At the end each POST has
 * happened once, and the sync has every record.
 */

const maxCrashes = size(3, 100);
const writers = 6;

/** Creates tasks, each with its own idempotency key, until `isDone`. Returns the ID of each title. */
async function write(servers: Servers, name: string, isDone: () => boolean): Promise<Map<string, string>> {
  const made = new Map<string, string>();
  while (!isDone()) {
    const title = `${name}.${made.size}`;
    const headers = { "content-type": "application/json", "idempotency-key": randomUUID() };
    const post = { method: "POST", headers, body: JSON.stringify({ title }) };
    const first = await servers.fetch("/tasks", post);
    // If the response is incomplete, retries with the same key.
    const text = await first.text().catch(async () => (await servers.fetch("/tasks", post)).text());
    assert.equal(first.status, 201, text);
    made.set(title, (JSON.parse(text) as { data: Task }).data.id);
    counted.POSTs++;
  }
  return made;
}

test("with two servers each POST happens once and no record is missed while PostgreSQL crashes repeatedly", {
  skip: noPostgres,
  timeout: size(300_000, 7_200_000),
}, async (t) => {
  const { postgres, servers } = await begin(t);
  let hasEnded = false;
  const isDone = (): boolean => hasEnded;
  const crashRepeatedly = async (): Promise<void> => {
    for (let crash = 0; crash < maxCrashes; crash++) {
      await pause(random() * 1_000);
      await postgres.kill();
      counted["crashes of PostgreSQL"]++;
      await pause(random() * 300);
      await postgres.start();
      await pause(random() * 500);
      await servers.kill(crash % 2);
      await servers.start(crash % 2);
    }
    hasEnded = true;
  };
  const names = Array.from({ length: writers }, (_, index) => `Writer ${index}`);
  const crashes = crashRepeatedly().finally(() => {
    hasEnded = true;
  });
  const writing = Promise.all(names.map((name) => write(servers, name, isDone)));
  const [seen, made] = await Promise.all([follow(servers, isDone), writing, crashes]);
  // The last pass of the sync may have begun before the last responses.
  const rest = await follow(servers, () => true);
  await servers.stop();

  const confirmed = made.flatMap((each) => [...each]);
  const titles = Map.groupBy([...rest.values()], ({ title }) => title);
  for (const [title, id] of confirmed)
    assert.deepEqual(
      titles.get(title)?.map((task) => task.id),
      [id],
      title,
    );
  const own = [...rest.values()].filter(({ title }) => title.startsWith("Writer "));
  assert.equal(own.length, confirmed.length, "there are tasks that no response confirmed");
  for (const [id, task] of seen) assert.deepEqual(rest.get(id), task);
  const newest =
    [...seen.values()]
      .map(({ updatedAt }) => updatedAt)
      .sort()
      .at(-1) ?? "";
  const missed = [...rest.values()].filter(({ id, updatedAt }) => updatedAt <= newest && !seen.has(id));
  assert.deepEqual(missed, []);
  assert.ok(confirmed.length > maxCrashes * 5, `only ${confirmed.length} POSTs`);
  figures(t, "postgres-restart", { ...counted, "done twice or lost": 0, "records missed": 0 });
});

test("while another transaction locks the tenant, writes get 503 and reads work, and afterwards each retry succeeds once", {
  skip: noPostgres,
  timeout: 300_000,
}, async (t) => {
  const { postgres, servers } = await begin(t);
  const holder = new pg.Client({ connectionString: postgres.url });
  holder.on("error", () => {});
  await holder.connect();
  await holder.query("BEGIN");
  await holder.query("SELECT FROM tenant_clocks FOR UPDATE");
  const before = counted["responses 503"];
  const titles = Array.from({ length: 8 }, (_, index) => `Held ${index}`);
  const made = titles.map((title) => {
    const headers = { "content-type": "application/json", "idempotency-key": randomUUID() };
    return servers.fetch("/tasks", { method: "POST", headers, body: JSON.stringify({ title }) });
  });
  const heldMs = size(12_000, 30_000);
  let reads = 0;
  for (const until = performance.now() + heldMs; performance.now() < until; reads++) {
    assert.equal((await servers.fetch("/tasks?limit=1")).status, 200);
  }
  const rejected = counted["responses 503"] - before;
  assert.ok(rejected > 0 && reads > 10, `${rejected} rejected, ${reads} reads`);
  await holder.query("COMMIT");
  await holder.end();
  for (const response of await Promise.all(made)) assert.equal(response.status, 201);
  const all = await follow(servers, () => true);
  const own = [...all.values()].map(({ title }) => title).filter((title) => title.startsWith("Held "));
  assert.deepEqual(own.sort(), titles);
  await servers.stop();
  figures(t, "postgres-restart", { "seconds held": heldMs / 1_000, "writes rejected": rejected, reads });
});
