import assert from "node:assert/strict";
import { test } from "node:test";
import type { AttemptSummary } from "../../../lib/index.ts";
import { one, type Shown, unknown } from "../../support/crm.ts";
import { dataOf } from "../../support/responses.ts";
import { hook, type Reaction, webhookCrm } from "../../support/webhooks.ts";

const minute = 60_000;
const titles = (crm: Awaited<ReturnType<typeof webhookCrm>>) =>
  crm.delivered.map(({ body }) => body.data.record?.title);

test("a webhook gets the events after its creation, each with its record", async () => {
  const crm = await webhookCrm();
  await crm.create("/tasks", { title: "before" });
  await crm.createHook();
  const task = await crm.create("/tasks", { title: "first" });
  await crm.call("PATCH", `/tasks/${task.id}`, { status: "completed" });
  await crm.call("DELETE", `/tasks/${task.id}`);
  await crm.deliver();
  assert.deepEqual(crm.types(), ["task.created", "task.completed", "task.archived"]);
  const events = dataOf<Shown[]>(await crm.call("GET", "/events?types=task.*")).filter(
    ({ recordId }) => recordId === task.id,
  );
  assert.deepEqual(
    crm.delivered.map(({ body }) => body.data.event),
    events,
  );
  assert.deepEqual(
    crm.delivered.map(({ headers }) => headers["webhook-id"]),
    events.map(({ id }) => id),
  );
  const record = await crm.read(`/tasks/${task.id}?includeArchived=true`);
  assert.deepEqual(crm.delivered.at(-1)?.body.data.record, record);
  await crm.deliver();
  assert.equal(crm.delivered.length, 3);
});

test("types, scopes and skipOwn leave out events, and the position moves over them", async () => {
  const crm = await webhookCrm({
    "/integrations/1/scopes": ["tasks:read", "tasks:write", "webhooks:read", "webhooks:write"],
  });
  const as = (key: string, method: string, path: string, body: object) => crm.send(method, path, { key, body });
  const create = async (key: string, body: object) =>
    dataOf<Shown>(await as(key, "POST", "/webhooks", { url: hook, ...body }), 201);
  const reader = await create(one.readKey, {});
  await create(one.key, { types: ["account.*"], url: `${hook}/accounts` });
  await as(one.key, "POST", "/accounts", { name: "Own" });
  await as(one.key, "POST", "/tasks", { title: "of the other" });
  await as(one.readKey, "POST", "/tasks", { title: "own" });
  await crm.deliver();
  assert.deepEqual(titles(crm), ["of the other"]);
  assert.equal(crm.delivered[0]?.url, hook);
  await crm.admin("PATCH", `/admin/integrations/${one.otherIntegration}`, { body: { scopes: ["webhooks:read"] } });
  await as(one.key, "POST", "/tasks", { title: "without scope" });
  await crm.deliver();
  assert.equal(crm.delivered.length, 1);
  assert.equal((await crm.storage.get(one.id, "webhookState", reader.id))?.failures, 0);
});

test("an admin's webhook gets events of the set-up, without secrets", async () => {
  const crm = await webhookCrm();
  const created = dataOf<Shown>(await crm.admin("POST", "/admin/webhooks", { body: { url: hook } }), 201);
  await crm.admin("PATCH", `/admin/webhooks/${created.id}`, { body: { description: "x" } });
  await crm.admin("POST", "/admin/users", { body: { name: "Ida", email: "ida@tenant.test" } });
  await crm.deliver();
  assert.deepEqual(crm.types(), ["webhook.updated", "user.created"]);
  assert.ok(!JSON.stringify(crm.delivered).includes(String(created.secret).slice(6, 20)));
});

test("a failure keeps the position and is tried again after 5 s, 1, 5 and 30 minutes", async () => {
  const crm = await webhookCrm();
  const { id } = await crm.createHook();
  crm.receivers.react = () => 503;
  await crm.create("/tasks", { title: "a" });
  const waits: number[] = [];
  for (let count = 1; count <= 4; count++) {
    await crm.deliver();
    assert.equal(crm.delivered.length, count);
    const { failures, nextAttemptAt, lastAttempt } = (await crm.storage.get(one.id, "webhookState", id)) ?? {};
    assert.deepEqual([failures, lastAttempt?.status], [count, 503]);
    const wait = (nextAttemptAt ?? 0) - crm.clock.now();
    waits.push(wait);
    crm.clock.advance(wait - 1);
    await crm.deliver();
    assert.equal(crm.delivered.length, count);
    crm.clock.advance(1);
  }
  for (const [index, planned] of [5_000, minute, 5 * minute, 30 * minute].entries())
    assert.ok(Math.abs((waits[index] ?? 0) - planned) <= planned * 0.1, `${waits[index]} for ${planned}`);
  crm.receivers.react = () => 200;
  await crm.deliver();
  const shown = await crm.readHook(id);
  assert.deepEqual([shown.failures, shown.failingSince, shown.nextAttemptAt], [0, null, null]);
  assert.notEqual(shown.lastSuccessAt, null);
});

test("Retry-After up to 24 hours delays the next attempt", async () => {
  for (const [header, wait] of [
    ["3600", 60 * minute],
    ["999999999", 24 * 60 * minute],
    ["Sun, 01 Mar 2026 13:00:00 GMT", undefined],
    ["soon", 0],
  ] as const) {
    const crm = await webhookCrm();
    const { id } = await crm.createHook();
    crm.receivers.react = () => ({ status: 429, retryAfter: header });
    await crm.create("/tasks", { title: "a" });
    await crm.deliver();
    const state = await crm.storage.get(one.id, "webhookState", id);
    const actual = (state?.nextAttemptAt ?? 0) - crm.clock.now();
    if (wait === undefined) assert.equal(state?.nextAttemptAt, Date.parse(header));
    else assert.ok(wait === 0 ? actual <= 5_500 : actual === wait, `${header}: ${actual}`);
  }
});

test("an event that is rejected 5 times within 35 minutes is skipped, and can be sent again", async () => {
  const crm = await webhookCrm();
  const { id } = await crm.createHook();
  crm.receivers.react = ({ body }): Reaction => (body.data.record?.title === "bad" ? 422 : 200);
  const bad = await crm.create("/tasks", { title: "bad" });
  await crm.create("/tasks", { title: "good" });
  const start = crm.clock.now();
  for (let count = 0; count < 5; count++) {
    await crm.deliver();
    const { nextAttemptAt } = (await crm.storage.get(one.id, "webhookState", id)) ?? {};
    if (nextAttemptAt != null) crm.clock.advance(nextAttemptAt - crm.clock.now());
  }
  assert.ok(crm.clock.now() - start <= 35 * minute);
  assert.equal(titles(crm).filter((title) => title === "bad").length, 5);
  assert.equal(titles(crm).filter((title) => title === "good").length, 1);
  const [skipped] = (await crm.readHook(id)).skipped as Shown[];
  assert.deepEqual([skipped?.type, skipped?.recordId, skipped?.status], ["task.created", bad.id, 422]);
  const resend = async () =>
    dataOf<Shown>(await crm.call("POST", `/webhooks/${id}/redeliver`, { eventId: skipped?.eventId }));
  assert.equal((await resend()).status, 422);
  assert.equal(((await crm.readHook(id)).skipped as unknown[]).length, 1);
  crm.receivers.react = () => 200;
  assert.equal((await resend()).status, 200);
  assert.deepEqual((await crm.readHook(id)).skipped, []);
  const missing = await crm.call("POST", `/webhooks/${id}/redeliver`, { eventId: unknown });
  assert.equal(missing.status, 422);
});

test("other types end the wait after a failure, whose event may no longer be wanted", async () => {
  const crm = await webhookCrm();
  const { id } = await crm.createHook();
  crm.receivers.react = () => 500;
  await crm.create("/tasks", { title: "a" });
  await crm.deliver();
  assert.notEqual((await crm.readHook(id)).nextAttemptAt, null);
  await crm.call("PATCH", `/webhooks/${id}`, { types: ["account.*"] });
  await crm.deliver();
  assert.equal((await crm.readHook(id)).nextAttemptAt, null);
  assert.equal(crm.delivered.length, 1);
});

test("a response with status 410 pauses, and active: true continues where it was", async () => {
  const crm = await webhookCrm();
  const { id } = await crm.createHook();
  crm.receivers.react = () => 410;
  await crm.create("/tasks", { title: "a" });
  await crm.deliver();
  assert.equal((await crm.readHook(id)).pausedReason, "gone");
  await crm.create("/tasks", { title: "b" });
  crm.clock.advance(48 * 60 * minute);
  await crm.deliver();
  assert.equal(crm.delivered.length, 1);
  crm.receivers.react = () => 200;
  const continued = dataOf<Shown>(await crm.call("PATCH", `/webhooks/${id}`, { active: true }));
  assert.equal(continued.pausedReason, null);
  await crm.deliver();
  assert.deepEqual(titles(crm), ["a", "a", "b"]);
});

test("72 hours without a success pause the webhook, with one log line", async () => {
  const lines: unknown[] = [];
  const logger = { error: (fields: object, message: string) => lines.push([message, (fields as Shown).pausedReason]) };
  const crm = await webhookCrm({}, { logger });
  const { id } = await crm.createHook();
  crm.receivers.react = () => new Error("no connection");
  await crm.create("/tasks", { title: "a" });
  const start = crm.clock.now();
  for (let count = 0; count < 20; count++) {
    await crm.deliver();
    const { nextAttemptAt } = (await crm.storage.get(one.id, "webhookState", id)) ?? {};
    if (nextAttemptAt != null) crm.clock.advance(nextAttemptAt - crm.clock.now());
  }
  assert.equal(crm.clock.now() - start, 72 * 60 * minute);
  assert.equal((await crm.readHook(id)).pausedReason, "failing");
  assert.deepEqual(lines, [["webhook paused", "failing"]]);
});

test("a webhook whose next events were deleted pauses as expired and names the time that is missing", async () => {
  const crm = await webhookCrm();
  const { id } = await crm.createHook({ active: false });
  await crm.create("/tasks", { title: "deleted" });
  crm.clock.advance(minute);
  await crm.storage.pruneEvents(one.id, crm.clock.now());
  await crm.call("PATCH", `/webhooks/${id}`, { description: "x" });
  const state = await crm.storage.get(one.id, "webhookState", id);
  assert.ok(state !== undefined && state.positionAt < (await crm.storage.eventsFrom(one.id)));
  const webhook = await crm.storage.get(one.id, "webhook", id);
  assert.ok(webhook);
  await crm.storage.commit(one.id, crm.clock.now(), (at) => [
    {
      op: "update",
      kind: "webhook",
      record: { ...webhook, active: true, updatedAt: at },
      expectedUpdatedAt: webhook.updatedAt,
    },
  ]);
  await crm.deliver();
  const paused = await crm.readHook(id);
  assert.equal(paused.pausedReason, "expired");
  assert.match(JSON.stringify(paused.lastAttempt), /events from 2026-03-01T12:00.* to 2026-03-01T12:.* were deleted/);
  await crm.call("PATCH", `/webhooks/${id}`, { active: true });
  await crm.create("/tasks", { title: "new" });
  await crm.deliver();
  assert.deepEqual(titles(crm), ["new"]);
});

test("an idle webhook isn't expired when the events that it has delivered are deleted", async () => {
  const crm = await webhookCrm();
  const { id } = await crm.createHook();
  await crm.create("/tasks", { title: "a" });
  await crm.deliver();
  crm.clock.advance(minute);
  await crm.storage.pruneEvents(one.id, crm.clock.now());
  await crm.create("/tasks", { title: "b" });
  await crm.deliver();
  assert.deepEqual([titles(crm), (await crm.readHook(id)).pausedReason], [["a", "b"], null]);
});

test("position moves back to a time or to the end", async () => {
  const crm = await webhookCrm();
  const { id } = await crm.createHook();
  const first = await crm.create("/tasks", { title: "a" });
  await crm.create("/tasks", { title: "b" });
  await crm.deliver();
  await crm.call("PATCH", `/webhooks/${id}`, { position: { since: first.updatedAt } });
  await crm.deliver();
  assert.deepEqual(titles(crm), ["a", "b", "a", "b"]);
  await crm.create("/tasks", { title: "c" });
  await crm.call("PATCH", `/webhooks/${id}`, { position: "latest" });
  await crm.deliver();
  assert.equal(crm.delivered.length, 4);
  for (const [since, limit] of [
    ["2020-01-01T00:00:00Z", "notBefore"],
    ["2030-01-01T00:00:00Z", "notAfter"],
  ]) {
    const result = await crm.call("PATCH", `/webhooks/${id}`, { position: { since } });
    assert.match(result.text, /"path":"\/position\/since","code":"out_of_range"/);
    assert.match(result.text, new RegExp(`"limits":{"${limit}":"20[^"]+Z"}`));
  }
});

test("counts() has the webhooks by state, and the age of the oldest event that waits", async () => {
  const crm = await webhookCrm();
  const counts = () => crm.api.counts().delivery;
  const [dead, gone] = ["https://hooks.test/dead", "https://hooks.test/gone"];
  for (const url of [hook, dead, gone]) await crm.createHook({ url });
  crm.receivers.react = ({ url }) => (url === dead ? 500 : url === gone ? 410 : 204);
  await crm.deliver();
  assert.deepEqual(counts(), { webhooks: { delivering: 3, retrying: 0, paused: 0 }, lagMs: 0 });
  await crm.create("/tasks", { title: "a" });
  await crm.deliver();
  crm.clock.advance(4_000);
  assert.deepEqual(counts(), { webhooks: { delivering: 1, retrying: 1, paused: 1 }, lagMs: 4_000 });
  crm.receivers.react = () => 204;
  crm.clock.advance(4_000);
  await crm.deliver();
  assert.deepEqual(counts(), { webhooks: { delivering: 2, retrying: 0, paused: 1 }, lagMs: 0 });
  await crm.worker.stop();
  assert.equal(counts(), undefined);
});

test("onAttempt gets the result of each attempt, and the time since the commit of its event", async () => {
  const crm = await webhookCrm();
  await crm.createHook({ types: ["task.*"] });
  const attempts: AttemptSummary[] = [];
  const options = { owner: "test", isManual: true, onAttempt: (attempt: AttemptSummary) => attempts.push(attempt) };
  const worker = crm.api.deliverWebhooks(options);
  await crm.create("/tasks", { title: "Call" });
  crm.receivers.react = () => 500;
  await worker.deliver();
  crm.receivers.react = () => 204;
  crm.clock.advance(6_000);
  await worker.deliver();
  assert.deepEqual(
    attempts.map(({ status, delayMs }) => [status, delayMs >= 6_000]),
    [
      [500, false],
      [204, true],
    ],
  );
});
