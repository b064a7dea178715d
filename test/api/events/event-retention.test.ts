import assert from "node:assert/strict";
import { test } from "node:test";
import { pruneOldEvents } from "../../../lib/api/maintenance.ts";
import { createApi } from "../../../lib/index.ts";
import { memoryStorage } from "../../../lib/storage/memory.ts";
import { one, openCrm, two } from "../../support/crm.ts";
import type { Result } from "../../support/harness.ts";
import { errorOf, verdict } from "../../support/responses.ts";

const dayMs = 24 * 60 * 60 * 1000;
const { call, create, clock, storage } = await openCrm();
const eventsOf = ({ status, body, text }: Result) => {
  assert.equal(status, 200, text);
  return (body as { data: { recordId: string }[] }).data.map(({ recordId }) => recordId);
};
const watermarkOf = ({ headers }: Result) => headers.get("x-next-updated-since") ?? "";

test("a position before the first event that exists is rejected, and the feed continues from eventsFrom", async () => {
  const first = await create("/tasks", { title: "First" });
  const second = await create("/tasks", { title: "Second" });
  const page = await call("GET", "/events?limit=1");
  const { nextCursor } = page.body as { nextCursor: string };
  assert.deepEqual(eventsOf(page), [first.id]);
  clock.advance(2 * dayMs);
  const third = await create("/tasks", { title: "Third" });
  assert.equal(await pruneOldEvents(storage, clock.now() - dayMs), 2);
  const expired = await call("GET", `/events?updatedSince=${watermarkOf(page)}`);
  const { details, message } = errorOf(expired);
  const eventsFrom = String(details?.eventsFrom);
  assert.equal(verdict(expired), "400 invalid_cursor");
  const remedy = `List the records, then continue with updatedSince=${eventsFrom}.`;
  assert.deepEqual(details, { reason: "expired", eventsFrom, remedy });
  assert.equal(message, `The events at this position were deleted. Events exist from ${eventsFrom}. ${remedy}`);
  assert.equal(verdict(await call("GET", `/events?cursor=${nextCursor}`)), "400 invalid_cursor");
  assert.ok(Date.parse(eventsFrom) > Date.parse(second.updatedAt));
  assert.deepEqual(eventsOf(await call("GET", `/events?updatedSince=${eventsFrom}`)), [third.id]);
  assert.deepEqual(eventsOf(await call("GET", "/events")), [third.id]);
});

test("a follower that has read every event isn't expired when they are deleted", async () => {
  const last = await create("/tasks", { title: "Last" });
  const all = await call("GET", "/events");
  assert.equal(eventsOf(all).at(-1), last.id);
  clock.advance(3 * dayMs);
  await pruneOldEvents(storage, clock.now() - dayMs);
  const idle = await call("GET", `/events?updatedSince=${watermarkOf(all)}`);
  assert.deepEqual(eventsOf(idle), []);
  const next = await create("/tasks", { title: "Next" });
  assert.deepEqual(eventsOf(await call("GET", `/events?updatedSince=${watermarkOf(idle)}`)), [next.id]);
});

test("a position within a commit whose events were deleted is rejected", async () => {
  const operations = ["A", "B", "C"].map((title) => ({ op: "create", data: { title } }));
  const since = watermarkOf(await call("GET", "/events?limit=200"));
  await call("POST", "/tasks/batch", { operations });
  const page = await call("GET", `/events?limit=2&updatedSince=${since}`);
  assert.equal(eventsOf(page).length, 2);
  clock.advance(3 * dayMs);
  await pruneOldEvents(storage, clock.now() - dayMs);
  assert.equal(verdict(await call("GET", `/events?updatedSince=${watermarkOf(page)}`)), "400 invalid_cursor");
});

test("the deletion of a tenant's events depends on no event and no deletion of another tenant", async () => {
  const crm = await openCrm();
  const eventAt = async ({ id, key }: typeof one): Promise<number> => {
    crm.clock.advance(1_000);
    await crm.send("POST", "/tasks", { key, body: { title: "Call" } });
    return (await crm.storage.list(id, "event", {})).at(-1)?.updatedAt ?? 0;
  };
  const remaining = async ({ id }: typeof one) =>
    (await crm.storage.list(id, "event", {})).map(({ updatedAt }) => updatedAt);
  const from = ({ id }: typeof one) => crm.storage.eventsFrom(id);
  const startOfTwo = await from(two);
  const [first, ofTwo, second] = [await eventAt(one), await eventAt(two), await eventAt(one)];
  const [third, last] = [await eventAt(one), await eventAt(two)];
  assert.equal(await crm.storage.pruneEvents(one.id, second), 1);
  assert.deepEqual([await from(one), await from(two)], [first + 1, startOfTwo]);
  assert.deepEqual(
    [await remaining(one), await remaining(two)],
    [
      [second, third],
      [ofTwo, last],
    ],
  );
  assert.equal(await crm.storage.pruneEvents(two.id, last + 1), 2);
  assert.deepEqual([await remaining(one), await remaining(two)], [[second, third], []]);
  assert.equal(await crm.storage.pruneEvents(one.id, third), 1);
  assert.deepEqual([await remaining(one), await from(two)], [[third], last + 1]);
});

test("eventDays must be an integer from 1 to 3,650", () => {
  for (const eventDays of [0, 3_651, 1.5, Number.NaN])
    assert.throws(() => createApi({ storage: memoryStorage(), eventDays }), TypeError);
});

test("the first sweep of a server deletes events that are older than eventDays", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const crm = await openCrm({}, { eventDays: 1 });
  await crm.create("/tasks", { title: "Old" });
  crm.clock.advance(dayMs + 60_000);
  await crm.create("/tasks", { title: "New" });
  t.mock.timers.tick(60_000);
  await crm.api.idle();
  const titles = (await crm.storage.list(one.id, "event", {})).length;
  assert.equal(titles, 1);
});
