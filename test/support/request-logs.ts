import assert from "node:assert/strict";
import type { CountedRequests, RequestEntry, RequestLog } from "../../lib/index.ts";

export const startedAt = Date.parse("2026-03-01T12:00:00.000Z");
const [minuteMs, hourMs] = [60_000, 3_600_000];

/** Returns an entry of the tenant "a". The ID is in the order of the calls. */
export function logEntry(changes: Partial<RequestEntry> = {}): RequestEntry {
  const id = String(++ids).padStart(8, "0");
  return {
    ...{ tenantId: "a", id, requestId: `request-${id}`, at: startedAt, method: "POST", path: "/tasks" },
    ...{ operation: "createTask", status: 201, code: null, durationMs: 2.5, integrationId: "i", keyId: "k" },
    ...{ userId: null, replayed: false, dryRun: false, source: "http", traceId: null },
    ...{ changes: { count: 1, ids: ["x"] }, problem: null },
    ...changes,
  };
}
let ids = 0;

function counted(changes: Partial<CountedRequests> = {}): CountedRequests {
  const totals = { count: 2, clientErrors: 0, serverErrors: 0, durationMs: 3, maxMs: 2 };
  return {
    tenantId: "a",
    at: startedAt,
    integrationId: "i",
    operation: "listTasks",
    code: null,
    ...totals,
    ...changes,
  };
}

/** Asserts that a request log finds and counts what was appended to it. */
export async function assertRequestLog(log: RequestLog): Promise<void> {
  const problem = {
    step: "shape",
    errors: [{ path: "/title", code: "required" }],
    body: { name: "string(3)" },
  } as const;
  const first = logEntry();
  const failed = logEntry({ status: 400, code: "validation_error", problem, requestId: "failed" });
  const ofAdmin = logEntry({ integrationId: null, keyId: null, userId: "u", operation: "adminListUsers", status: 500 });
  const later = logEntry({ at: startedAt + 1, code: "internal_error", status: 503 });
  await log.append([first, failed, counted(), logEntry({ tenantId: "b", requestId: "failed" })]);
  await log.append([later, ofAdmin, counted({ maxMs: 9, durationMs: 10 }), counted({ at: startedAt + minuteMs })]);
  const find = async (query: object = {}) => log.find("a", { limit: 10, ...query });
  // At the same time, the last one first.
  assert.deepEqual(await find(), [later, ofAdmin, failed, first]);
  assert.deepEqual(await find({ requestId: "failed" }), [failed]);
  assert.deepEqual(await find({ statuses: [400, 499] }), [failed]);
  assert.deepEqual(await find({ code: "validation_error" }), [failed]);
  assert.deepEqual(await find({ operation: "adminListUsers" }), [ofAdmin]);
  assert.deepEqual(await find({ integrationId: null, userId: "u", keyId: null }), [ofAdmin]);
  assert.deepEqual(await find({ integrationId: null, userId: "other" }), []);
  assert.deepEqual(await find({ since: startedAt + 1 }), [later]);
  assert.deepEqual(await find({ until: startedAt }), []);
  const [newest] = await find({ limit: 1 });
  assert.deepEqual(newest, later);
  assert.deepEqual((await find({ after: later })).length, 3);
  assert.deepEqual(await find({ after: first }), []);
  assert.deepEqual(await log.totals("a", { by: "operation", since: 0, limit: 10 }), [
    { key: "listTasks", count: 6, clientErrors: 0, serverErrors: 0, durationMs: 16, maxMs: 9 },
    { key: "createTask", count: 3, clientErrors: 1, serverErrors: 1, durationMs: 7.5, maxMs: 2.5 },
    { key: "adminListUsers", count: 1, clientErrors: 0, serverErrors: 1, durationMs: 2.5, maxMs: 2.5 },
  ]);
  const byIntegration = await log.totals("a", { by: "integration", since: startedAt + 2, limit: 10 });
  assert.deepEqual(
    byIntegration.map(({ key, count }) => [key, count]),
    [["i", 2]],
  );
  const byCode = await log.totals("a", { by: "code", since: 0, limit: 1 });
  assert.deepEqual(
    byCode.map(({ key, count }) => [key, count]),
    [[null, 8]],
  );
  const startedHour = String(startedAt - (startedAt % hourMs));
  await log.append([counted({ tenantId: "d" }), logEntry({ tenantId: "d", at: startedAt + hourMs })]);
  await log.append([counted({ tenantId: "d", at: startedAt + 2 * hourMs, count: 9 })]);
  const byHour = await log.totals("d", { by: "hour", since: 0, limit: 2 });
  assert.deepEqual(
    byHour.map(({ key, count }) => [Number(key) - Number(startedHour), count]),
    [
      [2 * hourMs, 9],
      [hourMs, 1],
    ],
  );
  assert.deepEqual(await log.totals("c", { by: "code", since: 0, limit: 1 }), []);
}
