import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { Servers } from "../never-missed/http-servers.ts";
import { serverCounts } from "../served-storage.ts";
import { figures, seed, seededRandom, size } from "../size.ts";

const clients = 8;
const values = 20;
const minUpserts = size(500, 5_000);
const minBatches = size(100, 1_000);
const minKills = size(1, 500);
const batchSize = 5;
const accountsUrl = "/accounts/upsert?matchBy=name";

/**
 * Calls `work` for each index, with several clients at the same time, until it was called `min` times and enough
 * servers were killed. Returns the number of calls.
 */
async function concurrently(
  servers: Servers,
  min: number,
  work: (index: number, client: number) => Promise<void>,
): Promise<number> {
  let next = 0;
  const client = async (_: unknown, number: number): Promise<void> => {
    while (next < min || servers.kills < minKills) await work(next++, number);
  };
  await Promise.all(Array.from({ length: clients }, client));
  return next;
}

async function startServers(t: TestContext, count: number): Promise<Servers> {
  const folder = temporaryFolder(t);
  return Servers.start(t, folder, size(50, 200), count);
}

/** Kills one server after another until the writes are done. Returns the number of writes. */
async function killWhile(servers: Servers, writes: Promise<number>): Promise<number> {
  const random = seededRandom(seed + 1);
  let isDone = false;
  const done = writes.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await pause(random() * 300);
    if (!isDone) await servers.kill(Math.floor(random() * servers.count));
  }
  return done;
}

for (const count of serverCounts) {
  test(`upserts of ${values} values create ${values} records, with ${count} servers that are killed`, async (t) => {
    const servers = await startServers(t, count);
    const errors: string[] = [];
    const send = async (path: string, body: object, server: number): Promise<void> => {
      const { status, text } = await servers.send(server % count, "POST", path, body);
      if (status >= 300) errors.push(text);
    };
    const writes = concurrently(servers, minUpserts, async (index, client) => {
      const phone = String(index);
      const value = `Value ${index % values}`;
      if (index % 2 === 0) await send(accountsUrl, { name: value, phone }, client);
      else {
        const contact = { name: value, externalId: value, phone };
        await send("/contacts/upsert?matchBy=externalId", contact, client);
      }
    });
    const upserts = await killWhile(servers, writes);
    await servers.stop();
    const events = await servers.events();
    assert.ok(events.length > 0);
    assert.deepEqual(errors, []);
    const accounts = (await servers.readAll("account")).filter(({ name }) => String(name).startsWith("Value "));
    const contacts = (await servers.readAll("contact")).filter(({ externalId }) =>
      String(externalId).startsWith("Value "),
    );
    // Even values are accounts, odd ones contacts.
    assert.equal(accounts.length + contacts.length, values);
    assert.equal(new Set([...accounts, ...contacts].map(({ name }) => name)).size, values);
    figures(t, "killed-writes", { servers: count, kills: servers.kills, upserts, events: events.length });
  });

  test(`a batch is committed whole and once, with ${count} servers that are killed`, async (t) => {
    const servers = await startServers(t, count);
    const ids: string[][] = [];
    const writes = concurrently(servers, minBatches, async (index, client) => {
      const operations = Array.from({ length: batchSize }, (_, item) => ({
        op: "create",
        data: { title: `Batch ${index} ${item}` },
      }));
      const { status, text, body } = await servers.send(client % count, "POST", "/tasks/batch", { operations });
      assert.equal(status, 200, text);
      ids[index] = (body as { data: { data: { id: string } }[] }).data.map(({ data }) => data.id);
    });
    const batches = await killWhile(servers, writes);
    await servers.stop();
    const events = await servers.events();
    assert.ok(events.length > 0);
    const titles = new Map<string, string>();
    for (const { id, title } of await servers.readAll("task"))
      if (String(title).startsWith("Batch ")) titles.set(id, String(title));
    assert.equal(titles.size, batches * batchSize);
    for (const [index, batch] of ids.entries())
      for (const [item, id] of batch.entries()) assert.equal(titles.get(id), `Batch ${index} ${item}`);
    figures(t, "killed-writes", { servers: count, kills: servers.kills, batches, events: events.length });
  });
}
