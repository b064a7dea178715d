import assert from "node:assert/strict";
import type { Records } from "../../model/kinds.ts";
import type { Storage } from "../storage.ts";
import type { TestFunctions } from "./harness.ts";
import { commitNow, createTenant, idOf, insertWrite, newEvent, startTime } from "./records.ts";

const at = (offset: number): number => startTime + offset;

/** Declares the tests of events: their order, `eventsFrom` and `pruneEvents`. */
export function eventsContract({ test, reopenTest }: TestFunctions): void {
  test("list() returns events in the order of their commits, and respects after, updatedSince and limit", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const events = await commitEvents(storage, tenant, [10, 10, 20, 30]);
    assert.deepEqual(await storage.list(tenant, "event", {}), events);
    assert.deepEqual(await storage.list(tenant, "event", { updatedSince: at(20) }), events.slice(-2));
    assert.deepEqual(await storage.list(tenant, "event", { updatedSince: at(21) }), events.slice(-1));
    for (const [index, { updatedAt, id }] of events.entries()) {
      const page = await storage.list(tenant, "event", { after: { updatedAt, id }, limit: 2, includeArchived: true });
      assert.deepEqual(page, events.slice(index + 1, index + 3));
    }
    const other = await createTenant(storage, 2);
    assert.deepEqual(await storage.list(other, "event", {}), []);
  });

  test("eventsFrom() is the clock after the commit that created the tenant, and 0 for an unknown tenant", async (storage) => {
    const tenant = await createTenant(storage, 1, at(5));
    assert.equal(await storage.eventsFrom(tenant), at(5));
    await commitEvents(storage, tenant, [10]);
    assert.equal(await storage.eventsFrom(tenant), at(5));
    assert.equal(await storage.eventsFrom(idOf(3, 0)), 0);
  });

  test("pruneEvents() deletes the events before a time and moves eventsFrom after them", async (storage) => {
    const [tenant, other] = [await createTenant(storage, 1, at(5)), await createTenant(storage, 2, at(5))];
    const events = await commitEvents(storage, tenant, [10, 20, 20, 30]);
    const others = await commitEvents(storage, other, [10]);
    assert.equal(await storage.pruneEvents(tenant, at(10)), 0);
    assert.equal(await storage.eventsFrom(tenant), at(5));
    assert.equal(await storage.pruneEvents(tenant, at(21)), 3);
    const from = await storage.eventsFrom(tenant);
    assert.ok(from > at(20) && from <= at(30), String(from - startTime));
    assert.deepEqual(await storage.list(tenant, "event", {}), events.slice(-1));
    assert.equal(await storage.pruneEvents(tenant, at(21)), 0);
    assert.equal(await storage.pruneEvents(idOf(3, 0), at(100)), 0);
    assert.deepEqual(await storage.list(other, "event", {}), others);
    assert.equal(await storage.eventsFrom(other), at(5));
  });

  test("pruneEvents() deletes 500 events at a time, and never a part of a commit", async (storage) => {
    const tenant = await createTenant(storage, 1);
    await commitEvents(storage, tenant, Array(499).fill(10));
    const events = await commitEvents(storage, tenant, Array(3).fill(20));
    const last = await commitEvents(storage, tenant, Array(2).fill(30));
    assert.equal(await storage.pruneEvents(tenant, at(100)), 499 + events.length);
    assert.deepEqual(await storage.list(tenant, "event", {}), last);
    assert.equal(await storage.eventsFrom(tenant), at(21));
    assert.equal(await storage.pruneEvents(tenant, at(100)), last.length);
    assert.equal(await storage.eventsFrom(tenant), at(31));
  });

  reopenTest("eventsFrom() is the same after the storage is reopened", async (storage, reopen) => {
    const tenant = await createTenant(storage, 1);
    await commitEvents(storage, tenant, [10, 20]);
    await storage.pruneEvents(tenant, at(15));
    assert.equal(await (await reopen()).eventsFrom(tenant), at(11));
  });
}

/**
 * Commits an event at each of these times. Events of one time share a commit. Returns them in the order of their IDs.
 */
async function commitEvents(storage: Storage, tenant: string, offsets: readonly number[]): Promise<Records["event"][]> {
  const events: Records["event"][] = [];
  for (const offset of new Set(offsets)) {
    const indexes = offsets.flatMap((each, index) => (each === offset ? [index] : []));
    const added = indexes.map((index) => newEvent(idOf(1, index + 1), at(offset)));
    const time = await commitNow(storage, tenant, at(offset), () => added.map((each) => insertWrite("event", each)));
    assert.equal(time, at(offset));
    events.push(...added.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
  }
  return events;
}
