import assert from "node:assert/strict";
import { test } from "node:test";
import { eventsOf } from "../../lib/api/events.ts";
import { updateWrite } from "../../lib/api/update-write.ts";
import { type Event, matchesEventType } from "../../lib/model/event.ts";
import { fullTenant } from "../../lib/storage/contract/full-tenant.ts";
import { startTime } from "../../lib/storage/contract/records.ts";
import type { Write } from "../../lib/storage/storage.ts";

const caller = { tenantId: "", integrationId: null, keyId: null, userId: null, scopes: [] };
const records = fullTenant(1, startTime);
const eventsFor = (...writes: Write[]) =>
  eventsOf(writes, caller, null, startTime + 1, startTime + 1).map(({ record }) => record as unknown as Event);

test("eventsOf() leaves out hidden fields, idempotency records and writes that change only updatedAt", () => {
  const [key] = records.apiKey;
  const [user] = records.user;
  const [stored] = records.idempotencyRecord;
  assert.ok(key !== undefined && user !== undefined && stored !== undefined);
  const changed = { ...key, hash: "other", maskedKey: "crm_test_…2" };
  const events = eventsFor(
    updateWrite("apiKey", key, changed, startTime + 1),
    updateWrite("user", user, user, startTime + 1),
    { op: "insert", kind: "idempotencyRecord", record: stored },
  );
  assert.deepEqual(
    events.map(({ type, changed, before }) => ({ type, changed, before })),
    [{ type: "apiKey.updated", changed: ["maskedKey"], before: { maskedKey: key.maskedKey } }],
  );
});

test("eventsOf() requires the record before an update", () => {
  const [task] = records.task;
  assert.ok(task !== undefined);
  const write: Write = { op: "update", kind: "task", record: task, expectedUpdatedAt: startTime };
  assert.throws(() => eventsFor(write), TypeError);
});

test("a filter matches its type, all types of its kind, and updates with a type of their own", () => {
  const cases: readonly (readonly [filter: string, type: string, matches: boolean])[] = [
    ["task.*", "task.completed", true],
    ["task.updated", "task.completed", true],
    ["task.updated", "task.archived", false],
    ["apiKey.updated", "apiKey.revoked", true],
    ["opportunity.updated", "task.updated", false],
    ["task.completed", "task.updated", false],
  ];
  for (const [filter, type, matches] of cases)
    assert.equal(matchesEventType(filter, type), matches, `${filter} ${type}`);
});
