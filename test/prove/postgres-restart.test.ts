import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { postgresAbsent } from "../support/postgres-server.ts";
import { begin, counted, follow, roll, type Servers, type Task } from "./postgres-servers.ts";
import { figures, size } from "./size.ts";

/**
 * Two server processes on one PostgreSQL, which falls as by a power switch and comes back, while one of the servers is
 * killed and started again. Clients send each POST under a key until it is answered, to either server; a sync goes on.
 * In the end each POST has happened once, and the sync has every record.
 */

const fallsMax = size(3, 100);
const writers = 6;

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

test("with two servers each POST happens once and no record is missed while PostgreSQL crashes repeatedly", {
  skip: postgresAbsent,
  timeout: size(300_000, 7_200_000),
}, async (t) => {
  const { postgres, servers } = await begin(t);
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

test("while another transaction locks the tenant, writes get 503 and reads work, and afterwards each retry succeeds once", {
  skip: postgresAbsent,
  timeout: 300_000,
}, async (t) => {
  const { postgres, servers } = await begin(t);
  const holder = new pg.Client({ connectionString: postgres.url });
  holder.on("error", () => {});
  await holder.connect();
  await holder.query("BEGIN");
  await holder.query("SELECT FROM tenant_clocks FOR UPDATE");
  const before = counted["answers 503"];
  const titles = Array.from({ length: 8 }, (_, index) => `Held ${index}`);
  const made = titles.map((title) => {
    const headers = { "content-type": "application/json", "idempotency-key": randomUUID() };
    return servers.ask("/tasks", { method: "POST", headers, body: JSON.stringify({ title }) });
  });
  const heldMs = size(12_000, 30_000);
  let reads = 0;
  for (const until = performance.now() + heldMs; performance.now() < until; reads++) {
    assert.equal((await servers.ask("/tasks?limit=1")).status, 200);
  }
  const refused = counted["answers 503"] - before;
  assert.ok(refused > 0 && reads > 10, `${refused} refused, ${reads} reads`);
  await holder.query("COMMIT");
  await holder.end();
  for (const response of await Promise.all(made)) assert.equal(response.status, 201);
  const all = await follow(servers, () => true);
  const own = [...all.values()].map(({ title }) => title).filter((title) => title.startsWith("Held "));
  assert.deepEqual(own.sort(), titles);
  await servers.stop();
  figures(t, "postgres-restart", { "seconds held": heldMs / 1_000, "writes refused meanwhile": refused, reads });
});
