import assert from "node:assert/strict";
import { test } from "node:test";
import type { EndpointResponse } from "../../../lib/api/run-endpoint.ts";
import { WaitingRequests } from "../../../lib/http/waiting-requests.ts";
import { one, openCrm, two } from "../../support/crm.ts";
import type { Result } from "../../support/harness.ts";
import { dataOf, errorOf, verdict } from "../../support/responses.ts";

const { send, create, clock, api, storage } = await openCrm();
const wait = (seconds: number | string) => ({ key: one.key, headers: { prefer: `wait=${seconds}` } });
const idsOf = ({ status, body, text }: Result) => {
  assert.equal(status, 200, text);
  return (body as { data: { id: string; recordId?: string }[] }).data.map(({ id, recordId = id }) => recordId);
};

/** Returns the watermark after all events and tasks. */
async function latest(): Promise<string> {
  clock.advance(1_000);
  const result = await send("GET", "/events?limit=200", { key: one.key });
  return result.headers.get("x-next-updated-since") ?? "";
}

for (const path of ["/events", "/tasks"]) {
  test(`GET ${path} with Prefer: wait responds with the record of the next commit`, async () => {
    const since = await latest();
    const waiting = send("GET", `${path}?updatedSince=${since}`, wait(30));
    const task = await create("/tasks", { title: "Awaited" });
    const result = await waiting;
    assert.deepEqual(idsOf(result), [task.id]);
    assert.equal(result.headers.get("preference-applied"), "wait=30");
  });
}

test("a commit of the same process ends the wait without a timer", { timeout: 10_000 }, async (t) => {
  const since = await latest();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const waiting = send("GET", `/tasks?updatedSince=${since}`, wait(30));
  const task = await create("/tasks", { title: "At once" });
  assert.deepEqual(idsOf(await waiting), [task.id]);
});

test("a page with records is returned at once, and one token of the rate limit is taken", async () => {
  const task = await create("/tasks", { title: "There" });
  const result = await send("GET", `/tasks?ids=${task.id}`, wait(30));
  assert.deepEqual(idsOf(result), [task.id]);
  const since = await latest();
  const before = Number((await send("GET", "/me", { key: one.key })).headers.get("x-ratelimit-remaining"));
  const waiting = send("GET", `/events?updatedSince=${since}&types=account.*`, wait(30));
  await create("/tasks", { title: "Filtered" });
  await create("/accounts", { name: "Wanted" });
  assert.equal(Number((await waiting).headers.get("x-ratelimit-remaining")), before - 1);
});

test("the empty page is returned after the time, with its watermark", async () => {
  const since = await latest();
  const result = await send("GET", `/events?updatedSince=${since}`, wait(1));
  assert.deepEqual([idsOf(result), result.headers.get("preference-applied")], [[], "wait=1"]);
  assert.equal(result.headers.get("x-next-updated-since"), since);
});

test("a commit of another process is noticed", async () => {
  const since = await latest();
  const waiting = send("GET", `/tasks?updatedSince=${since}&count=true`, wait(30));
  const task = dataOf(await send("GET", `/tasks/${one.task}`, { key: one.key }));
  const stored = await storage.get(one.id, "task", task.id);
  assert.ok(stored !== undefined);
  clock.advance(1_000);
  await storage.commit(one.id, clock.now(), (at) => [
    { op: "update", kind: "task", record: { ...stored, updatedAt: at }, expectedUpdatedAt: stored.updatedAt },
  ]);
  assert.deepEqual(idsOf(await waiting), [one.task]);
});

test("an API key that is revoked during a wait gets 401", async () => {
  const since = await latest();
  const { keyId } = dataOf<{ keyId: string }>(await send("GET", "/me", { key: one.secondKey }));
  await api.idle();
  const key = await storage.get(one.id, "apiKey", keyId);
  assert.ok(key !== undefined);
  const waiting = send("GET", `/events?updatedSince=${since}`, { ...wait(30), key: one.secondKey });
  // By then, the waiting request has been authenticated.
  await send("GET", "/me", { key: one.key });
  clock.advance(1_000);
  const revoke = (at: number) => ({ ...key, revokedAt: clock.now(), updatedAt: at });
  await storage.commit(one.id, clock.now(), (at) => [
    { op: "update", kind: "apiKey", record: revoke(at), expectedUpdatedAt: key.updatedAt },
  ]);
  assert.equal(verdict(await waiting), "401 unauthorized");
});

test("an invalid wait is rejected, and a list of the set-up ignores the header", async () => {
  for (const seconds of ["0", "31", "x", "-1", "1.5"]) {
    const result = await send("GET", "/tasks", wait(seconds));
    assert.equal(verdict(result), "400 validation_error: Prefer out_of_range");
    assert.match(errorOf(result).message, /^Prefer must be wait=N, with 1 to 30 seconds, such as wait=20\.$/);
  }
  const pipelines = await send("GET", "/pipelines", wait(30));
  assert.deepEqual([pipelines.status, pipelines.headers.has("preference-applied")], [200, false]);
});

test("a fifth waiting request of an API key gets its response at once, and the API ends all waits when it closes", async () => {
  const crm = await openCrm();
  const since = (await crm.call("GET", "/events")).headers.get("x-next-updated-since");
  const waiting = [1, 2, 3, 4].map(() => crm.send("GET", `/events?updatedSince=${since}`, wait(30)));
  const fifth = await crm.send("GET", `/events?updatedSince=${since}`, wait(30));
  assert.deepEqual([idsOf(fifth), fifth.headers.has("preference-applied")], [[], false]);
  assert.equal(crm.api.counts().waitingRequests, 4);
  const other = crm.send("GET", "/events", { ...wait(30), key: two.key });
  await crm.api.close();
  assert.equal(crm.api.counts().waitingRequests, 0);
  for (const result of await Promise.all([...waiting, other])) {
    assert.deepEqual([idsOf(result), result.headers.get("preference-applied")], [[], "wait=30"]);
  }
});

test("500 requests wait at a time, and a closed connection ends its wait", async () => {
  const requests = new WaitingRequests();
  const empty: EndpointResponse = {
    status: 200,
    body: '{"data":[],"nextCursor":null}',
    location: null,
    replayed: false,
    headers: {},
  };
  const callerOf = (keyId: string) => ({ tenantId: one.id, integrationId: null, keyId, userId: null, scopes: [] });
  const stopping = new AbortController();
  const run = (index: number, signal?: AbortSignal) =>
    requests.run(callerOf(`${index}`), 30, { stopping: signal }, async () => empty);
  const first = run(0, stopping.signal);
  const others = Array.from({ length: 499 }, (_, index) => run(index + 1));
  assert.equal(requests.size, 500);
  assert.deepEqual((await run(500)).headers, {});
  stopping.abort();
  assert.deepEqual((await first).headers, { "Preference-Applied": "wait=30" });
  assert.equal(requests.size, 499);
  requests.close();
  assert.equal((await Promise.all(others)).length, 499);
  assert.equal(requests.size, 0);
});
