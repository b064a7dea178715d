import assert from "node:assert/strict";
import { after, test } from "node:test";
import { CrmError, type Event } from "../../../lib/client/index.ts";
import { clientOf } from "../../support/client.ts";
import { testCrm } from "../../support/harness.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const crm = await testCrm([one]);
after(() => crm.api.close());
const client = clientOf(crm, one.key);

test("events.list and history iterate over pages", async () => {
  const task = await client.tasks.create({ title: "Call" });
  for (const title of ["A", "B", "C"]) await client.tasks.update(task.id, { title });
  const listed: Event[] = [];
  for await (const event of client.events.list({ types: ["task.*"], limit: 2 }).records()) listed.push(event);
  const history: Event[] = [];
  for await (const event of client.tasks.history(task.id, { limit: 3 }).records()) history.push(event);
  assert.deepEqual(history.toReversed(), listed);
  assert.deepEqual(
    listed.map(({ type }) => type),
    ["task.created", "task.updated", "task.updated", "task.updated"],
  );
});

test("events.follow receives every event once, waits for more and stores its watermark", async () => {
  const stored = new Map<string, string>();
  const checkpoints = {
    load: (name: string) => stored.get(name),
    save: (name: string, watermark: string) => void stored.set(name, watermark),
  };
  const received: string[] = [];
  const follow = async (until: string) => {
    const stop = new AbortController();
    await client.events.follow({
      checkpoints,
      signal: stop.signal,
      onPage(events) {
        received.push(...events.map(({ recordId }) => recordId));
        if (received.includes(until)) stop.abort();
      },
    });
  };
  const account = await client.accounts.create({ name: "Nord" });
  await follow(account.id);
  const before = received.length;
  const following = follow(one.task);
  await client.tasks.update(one.task, { title: "Followed" });
  await following;
  assert.deepEqual(received.slice(before), [account.id, one.task].slice(received[before] === account.id ? 0 : 1));
  assert.ok(stored.has("events"));
});

test("events.follow rejects with the error of onPage, and with expired if its events were deleted", async () => {
  const signal = new AbortController().signal;
  const failing = client.events.follow({
    signal,
    onPage: () => {
      throw new Error("full");
    },
  });
  await assert.rejects(failing, /full/);
  crm.clock.advance(3 * 86_400_000);
  await client.tasks.update(one.task, { title: "Later" });
  await crm.storage.pruneEvents(one.id, crm.clock.now());
  const late = client.events.follow({ signal, since: "2026-03-01T12:00:00.000Z", onPage: () => {} });
  await assert.rejects(late, (error) => error instanceof CrmError && error.details?.reason === "expired");
});
