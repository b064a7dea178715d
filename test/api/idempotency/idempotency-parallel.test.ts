import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { StorageUnavailable, wrapStorage } from "../../../lib/index.ts";
import { type Result, type TestCrm, testCrm } from "../../support/harness.ts";
import { dataOf, type ShownTask, verdict } from "../../support/responses.ts";
import { freshStorage } from "../../support/storages.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { key } = one;
const dayMs = 24 * 60 * 60 * 1000;

function post({ send }: TestCrm, id: string, title: string): Promise<Result> {
  return send("POST", "/tasks", { key, headers: { "idempotency-key": id }, body: { title } });
}

/** Returns the titles of the tasks that the test created. */
async function createdTitles({ send }: TestCrm): Promise<string[]> {
  const tasks = dataOf<ShownTask[]>(await send("GET", "/tasks?limit=200", { key }));
  return tasks.filter(({ id }) => id !== one.task).map(({ title }) => title);
}

function count(results: readonly Result[]): Record<string, number> {
  const kind = (result: Result): string =>
    result.headers.has("idempotent-replayed") ? `${result.status} replayed` : verdict(result);
  return Object.fromEntries([...Map.groupBy(results, kind)].map(([name, list]) => [name, list.length]));
}

test("one of 64 equal concurrent POSTs creates the task, and 63 are replays", async () => {
  const crm = await testCrm([one]);
  const id = randomUUID();
  const results = await Promise.all(Array.from({ length: 64 }, () => post(crm, id, "Call")));
  assert.deepEqual(count(results), { "201": 1, "201 replayed": 63 });
  assert.equal(new Set(results.map(({ text, headers }) => text + headers.get("location"))).size, 1);
  assert.deepEqual(await createdTitles(crm), ["Call"]);
  await crm.api.close();
});

test("of parallel POSTs with two bodies and one key, one creates a task and the other body is rejected", async () => {
  const crm = await testCrm([one]);
  const id = randomUUID();
  const titles = Array.from({ length: 64 }, (_, index): string => (index % 2 === 0 ? "Call" : "Write"));
  const results = await Promise.all(titles.map((title) => post(crm, id, title)));
  assert.deepEqual(count(results), { "201": 1, "201 replayed": 31, "422 idempotency_key_reused": 32 });
  const [winner] = await createdTitles(crm);
  const rejected = titles.filter((_, index) => results[index]?.status === 422);
  assert.deepEqual(await createdTitles(crm), [winner]);
  assert.ok(!rejected.includes(String(winner)));
  await crm.api.close();
});

test("64 concurrent POSTs with 64 keys create 64 tasks with different commit times", async () => {
  const crm = await testCrm([one]);
  const titles = Array.from({ length: 64 }, (_, index) => `Call ${index}`);
  const results = await Promise.all(titles.map((title) => post(crm, randomUUID(), title)));
  assert.equal(new Set(results.map((result) => dataOf(result, 201).updatedAt)).size, 64);
  assert.deepEqual((await createdTitles(crm)).sort(), titles.sort());
  await crm.api.close();
});

test("a key expires exactly 24 hours after its first use", async () => {
  const crm = await testCrm([one]);
  const id = randomUUID();
  const first = await post(crm, id, "Call");
  crm.clock.advance(dayMs / 2);
  assert.deepEqual(count([await post(crm, id, "Call")]), { "201 replayed": 1 });
  crm.clock.advance(dayMs / 2 - 1);
  assert.equal((await post(crm, id, "Call")).text, first.text);
  assert.equal(verdict(await post(crm, id, "Write")), "422 idempotency_key_reused");
  crm.clock.advance(1);
  assert.deepEqual(count([await post(crm, id, "Write")]), { "201": 1 });
  assert.deepEqual(await createdTitles(crm), ["Call", "Write"]);
  crm.clock.advance(dayMs - 1);
  assert.deepEqual(count([await post(crm, id, "Write")]), { "201 replayed": 1 });
  await crm.api.close();
});

test("after a key has expired, one of 64 equal concurrent POSTs creates a task", async () => {
  const crm = await testCrm([one]);
  const id = randomUUID();
  await post(crm, id, "Call");
  crm.clock.advance(dayMs);
  const results = await Promise.all(Array.from({ length: 64 }, () => post(crm, id, "Write")));
  assert.deepEqual(count(results), { "201": 1, "201 replayed": 63 });
  assert.deepEqual(await createdTitles(crm), ["Call", "Write"]);
  await crm.api.close();
});

test("after a commit whose response was lost, the same key gets a replay and no second task", async () => {
  const storage = await freshStorage();
  let losesResponses = false;
  const crm = await testCrm([one], {
    storage: wrapStorage(storage, {
      async commit(tenant, now, propose, conditions) {
        let creates = false;
        const proposeSeen: typeof propose = (at) => {
          const writes = propose(at);
          creates = writes.some(({ kind }) => kind === "task");
          return writes;
        };
        await storage.commit(tenant, now, proposeSeen, conditions);
        if (losesResponses && creates) throw new StorageUnavailable("the response of the database was lost");
      },
    }),
  });
  const id = randomUUID();
  losesResponses = true;
  const lost = await post(crm, id, "Call");
  assert.equal(verdict(lost), "503 internal_error");
  assert.ok(Number(lost.headers.get("retry-after")) >= 1);
  losesResponses = false;
  const retried = await post(crm, id, "Call");
  assert.deepEqual(count([retried]), { "201 replayed": 1 });
  assert.deepEqual(await createdTitles(crm), ["Call"]);
  const { id: task } = dataOf(retried, 201);
  assert.deepEqual(dataOf(await crm.send("GET", `/tasks/${task}`, { key })), dataOf(retried, 201));
  await crm.api.close();
});

test("after a failed commit, the same key creates the task", async () => {
  const storage = await freshStorage();
  let full = false;
  const crm = await testCrm([one], {
    storage: wrapStorage(storage, {
      async commit(...args) {
        if (full) throw new StorageUnavailable("the disk is full");
        await storage.commit(...args);
      },
    }),
  });
  const id = randomUUID();
  full = true;
  assert.equal(verdict(await post(crm, id, "Call")), "503 internal_error");
  full = false;
  assert.deepEqual(count([await post(crm, id, "Call"), await post(crm, id, "Call")]), { "201": 1, "201 replayed": 1 });
  assert.deepEqual(await createdTitles(crm), ["Call"]);
  await crm.api.close();
});

test("a task, its event and its idempotency record are one commit", async () => {
  const storage = await freshStorage();
  const commits: string[][] = [];
  const crm = await testCrm([one], {
    storage: wrapStorage(storage, {
      commit(tenant, now, propose, conditions) {
        const proposeSeen: typeof propose = (at) => {
          const writes = propose(at);
          commits.push(writes.map(({ op, kind }) => `${op} ${kind}`));
          return writes;
        };
        return storage.commit(tenant, now, proposeSeen, conditions);
      },
    }),
  });
  commits.length = 0;
  await post(crm, randomUUID(), "Call");
  const ofRequest = commits.filter((writes) => !writes.includes("update apiKey"));
  assert.deepEqual(ofRequest, [["insert task", "insert event", "insert idempotencyRecord"]]);
  await crm.api.close();
});
