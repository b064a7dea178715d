import assert from "node:assert/strict";
import { test } from "node:test";
import { one } from "../../support/crm.ts";
import { type Delivered, webhookCrm } from "../../support/webhooks.ts";

/** Returns the IDs of the events by record, in the order of their first success. */
function firstDeliveries(accepted: readonly Delivered[]): ReadonlyMap<string, readonly string[]> {
  const ids = new Map<string, string[]>();
  for (const { body } of accepted) {
    const { id, recordId } = body.data.event as unknown as { id: string; recordId: string };
    const known = ids.get(recordId) ?? [];
    if (!known.includes(id)) ids.set(recordId, [...known, id]);
  }
  return ids;
}

/** Returns a sequence of numbers from 0 to 1 that is the same in each run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    const more = mixed ^ (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed));
    return ((more ^ (more >>> 14)) >>> 0) / 2 ** 32;
  };
}

for (const seed of [1, 2, 3, 4, 5]) {
  test(`failing receivers and lost workers: every event at least once, in the order of its record (seed ${seed})`, async () => {
    const crm = await webhookCrm();
    const { id } = await crm.createHook();
    const random = seeded(seed);
    const accepted: Delivered[] = [];
    const [running, maxRunning] = [new Map<string, number>(), { all: 0, record: 0 }];
    crm.receivers.react = async (message) => {
      const { recordId } = message.body.data.event as unknown as { recordId: string };
      running.set(recordId, (running.get(recordId) ?? 0) + 1);
      maxRunning.all = Math.max(
        maxRunning.all,
        [...running.values()].reduce((sum, each) => sum + each, 0),
      );
      maxRunning.record = Math.max(maxRunning.record, running.get(recordId) ?? 0);
      for (let turns = Math.floor(random() * 5); turns > 0; turns--) await new Promise((done) => setImmediate(done));
      running.set(recordId, (running.get(recordId) ?? 1) - 1);
      const status = [200, 200, 200, 500, 302, 404][Math.floor(random() * 6)] ?? 200;
      if (status === 200) accepted.push(message);
      return status === 404 ? new Error("closed") : status;
    };
    const tasks = await Promise.all(["a", "b", "c", "d", "e", "f"].map((title) => crm.create("/tasks", { title })));
    const deliverSome = async () => {
      // A worker that ends without a stop stores nothing more.
      const worker = crm.api.deliverWebhooks({ owner: "test", isManual: true });
      await worker.deliver();
    };
    for (let round = 0; round < 30; round++) {
      const task = tasks[Math.floor(random() * tasks.length)];
      await crm.call("PATCH", `/tasks/${task?.id}`, { title: `${round}` });
      if (random() < 0.5) await deliverSome();
      if (random() < 0.5) crm.clock.advance(60_000);
    }
    for (let tries = 0; ; tries++) {
      assert.ok(tries < 1_000, "the delivery comes to an end");
      await crm.deliver();
      const { nextAttemptAt } = (await crm.storage.get(one.id, "webhookState", id)) ?? {};
      if (nextAttemptAt == null) break;
      // At least a second, because a lost worker can still have its lease.
      crm.clock.advance(Math.max(1_000, nextAttemptAt - crm.clock.now()));
    }
    const events = await crm.storage.list(one.id, "event", {});
    const ofTasks = events.filter(({ type }) => type.startsWith("task."));
    const expected = Map.groupBy(ofTasks, ({ recordId }) => recordId);
    const delivered = firstDeliveries(accepted);
    for (const [recordId, list] of expected)
      assert.deepEqual(
        delivered.get(recordId),
        list.map(({ id }) => id),
        recordId,
      );
    assert.deepEqual([maxRunning.record, maxRunning.all <= 4], [1, true]);
    for (const { id } of tasks) {
      const last = accepted.filter(({ body }) => body.data.record?.id === id).at(-1);
      assert.deepEqual(last?.body.data.record, await crm.read(`/tasks/${id}`));
    }
  });
}

test("another server takes over after at most 30 seconds, not before, whatever its wall clock says", async () => {
  const crm = await webhookCrm();
  const { id } = await crm.createHook();
  const workerOf = (owner: string) => crm.api.deliverWebhooks({ owner, isManual: true });
  await crm.create("/tasks", { title: "a" });
  await workerOf("dead").deliver();
  assert.equal(crm.delivered.length, 1);
  const { leaseOwner } = (await crm.storage.get(one.id, "webhookState", id)) ?? {};
  assert.equal(leaseOwner, "dead");
  await crm.create("/tasks", { title: "b" });
  const other = workerOf("other");
  crm.clock.set(crm.clock.now() + 2 * 60 * 60_000);
  await other.deliver();
  assert.equal(crm.delivered.length, 1);
  crm.clock.advance(20_000);
  await other.deliver();
  assert.equal(crm.delivered.length, 1);
  crm.clock.advance(10_000);
  await other.deliver();
  assert.equal(crm.delivered.length, 2);
  await other.stop();
  assert.equal((await crm.storage.get(one.id, "webhookState", id))?.leaseOwner, null);
  await crm.create("/tasks", { title: "c" });
  await workerOf("third").deliver();
  assert.equal(crm.delivered.length, 3);
});

test("an event that fails is sent again only at its next attempt, whenever the response arrives", async () => {
  const crm = await webhookCrm();
  const { id } = await crm.createHook();
  await crm.deliver();
  for (let turns = 0; turns < 40; turns++) {
    crm.delivered.length = 0;
    const tasks = await Promise.all(["a", "b"].map((title) => crm.create("/tasks", { title })));
    crm.receivers.react = async ({ body }) => {
      if (body.data.record?.id !== tasks[1]?.id || crm.delivered.length > 2) return 204;
      for (let turn = 0; turn < turns; turn++) await null;
      return 500;
    };
    await crm.deliver();
    assert.equal(crm.delivered.length, 2);
    const { failures, nextAttemptAt } = (await crm.storage.get(one.id, "webhookState", id)) ?? {};
    assert.equal(failures, 1);
    crm.clock.set(nextAttemptAt ?? 0);
    await crm.deliver();
    assert.equal(crm.delivered.length, 3);
  }
});

test("attempts that end after another server took over change nothing", async () => {
  const crm = await webhookCrm();
  const { id } = await crm.createHook();
  const responses = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
  const arrived = Promise.withResolvers<void>();
  const waiting = [...responses];
  crm.receivers.react = () => {
    const response = waiting.shift();
    if (waiting.length === 0) arrived.resolve();
    return response?.promise ?? 204;
  };
  for (const title of ["a", "b"]) await crm.create("/tasks", { title });
  const workerOf = (owner: string) => crm.api.deliverWebhooks({ owner, isManual: true });
  const [slow, other] = [workerOf("slow"), workerOf("other")];
  const ended = slow.deliver();
  await arrived.promise;
  await other.deliver();
  crm.clock.advance(30_000);
  await other.deliver();
  assert.equal(crm.delivered.length, 4);
  responses[0]?.resolve(204);
  for (let turn = 0; turn < 100; turn++) await new Promise((done) => setImmediate(done));
  responses[1]?.resolve(500);
  await ended;
  const state = await crm.storage.get(one.id, "webhookState", id);
  assert.deepEqual([state?.leaseOwner, state?.failures, state?.nextAttemptAt], ["other", 0, null]);
});

test("a started delivery sends an event after its commit, and a dead receiver delays no other webhook", async () => {
  const crm = await webhookCrm();
  const hanging = Promise.withResolvers<number>();
  const arrived = Promise.withResolvers<void>();
  await crm.createHook({ url: "https://hooks.test/dead" });
  await crm.createHook({ url: "https://hooks.test/alive" });
  crm.receivers.react = ({ url }) => {
    if (url.endsWith("dead")) return hanging.promise;
    arrived.resolve();
    return 204;
  };
  const { stop } = crm.api.deliverWebhooks();
  assert.throws(() => crm.api.deliverWebhooks(), /already running/);
  await crm.create("/tasks", { title: "a" });
  await arrived.promise;
  hanging.resolve(500);
  await stop();
  assert.deepEqual(crm.delivered.map(({ url }) => url.split("/").at(-1)).sort(), ["alive", "dead"]);
});
