import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, type Storage, StorageUnavailable, wrapStorage } from "../../../lib/index.ts";
import { type Sent, testCrm } from "../../support/harness.ts";
import { dataOf, verdict } from "../../support/responses.ts";
import { freshStorage } from "../../support/storages.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { key } = one;
const headers = { "x-request-id": "fault-1" };

/** Each method of the storage, and a request that calls it. */
type Method = keyof Storage;
const ways: readonly (readonly [Method, string, string, Sent])[] = [
  ["findApiKey", "GET", "/me", { key, headers }],
  ["get", "GET", `/tasks/${one.task}`, { key, headers }],
  ["list", "GET", "/tasks", { key, headers }],
  ["list", "GET", "/users", { key, headers }],
  ["cursorSecret", "GET", "/tasks", { key, headers }],
  ["get", "PATCH", `/tasks/${one.task}`, { key, headers, body: {} }],
  ["commit", "POST", "/tasks", { key, headers, body: { title: "Call" } }],
  ["commit", "DELETE", `/tasks/${one.task}`, { key, headers }],
];

/** Returns a CRM whose storage fails in one method after a call of `fail`, and its log. */
async function failing(method: Method, fault: () => never) {
  const storage = await freshStorage();
  let broken = false;
  const logged: unknown[] = [];
  const act = storage[method].bind(storage) as (...args: unknown[]) => Promise<never>;
  const crm = await testCrm([one], {
    storage: wrapStorage(storage, { [method]: async (...args: unknown[]) => (broken ? fault() : act(...args)) }),
    logger: { error: (fields, message) => void logged.push({ ...fields, message }) },
  });
  broken = true;
  return { ...crm, logged };
}

/** Only a POST can have an Idempotency-Key. */
function retryAdvice(method: string): string {
  return method === "POST" ? "Retry with the same Idempotency-Key." : "Retry the request.";
}

const errorWithSecrets = Object.assign(new Error("SELECT * FROM tasks at /var/crm/crm.db"), { code: "SQLITE_MISUSE" });
const thrown: readonly (readonly [string, unknown])[] = [
  ["an Error", errorWithSecrets],
  ["a text", "disk on fire at /var/crm/crm.db"],
  ["nothing", undefined],
  ["a rejection with a number", 42],
  ["an object that looks like a response", { status: 200, code: "not_found", toJSON: () => ({ error: "x" }) }],
];

for (const [what, error] of thrown) {
  test(`a storage that throws ${what} returns 500 with the request ID and no details`, async () => {
    for (const [method, verb, path, sent] of ways) {
      const { send, logged } = await failing(method, () => {
        throw error;
      });
      const result = await send(verb, path, sent);
      const message = `Internal error. ${retryAdvice(verb)} If the error persists, report the request ID.`;
      const body = { error: { code: "internal_error", message, details: { requestId: "fault-1" } } };
      assert.deepEqual([result.status, result.body], [500, body], `${method}: ${verb} ${path}`);
      assert.equal(result.headers.get("x-request-id"), "fault-1");
      assert.equal(result.headers.has("x-ratelimit-remaining"), method !== "findApiKey");
      assert.equal(result.headers.has("retry-after"), false);
      const entry = { err: error, requestId: "fault-1", message: "request failed" };
      assert.deepEqual(
        logged.filter((line) => (line as { requestId: string }).requestId === "fault-1"),
        [entry],
      );
    }
  });
}

test("an unavailable storage returns 503 with Retry-After", async () => {
  for (const [method, verb, path, sent] of ways) {
    const { send } = await failing(method, () => {
      throw new StorageUnavailable("disk full at /var/crm");
    });
    const result = await send(verb, path, sent);
    const message = `Temporarily unavailable. ${retryAdvice(verb)}`;
    const body = { error: { code: "internal_error", message, details: { requestId: "fault-1" } } };
    assert.deepEqual([result.status, result.body], [503, body], `${method}: ${verb} ${path}`);
    assert.equal(result.headers.get("retry-after"), "1");
  }
});

test("a failed request stores nothing", async () => {
  const storage = await freshStorage();
  let broken = false;
  const wrapped = wrapStorage(storage, {
    commit(tenant, now, propose, conditions) {
      const proposeBroken: typeof propose = (at) => {
        const writes = propose(at);
        if (broken) throw errorWithSecrets;
        return writes;
      };
      return storage.commit(tenant, now, proposeBroken, conditions);
    },
  });
  const { send, api } = await testCrm([one], { storage: wrapped });
  const before = (await send("GET", "/tasks?includeArchived=true", { key })).text;
  broken = true;
  assert.equal(verdict(await send("POST", "/tasks", { key, body: { title: "Call" } })), "500 internal_error");
  broken = false;
  assert.equal((await send("GET", "/tasks?includeArchived=true", { key })).text, before);
  await api.close();
});

test("the cursor secret is read again after a failed read", async () => {
  const storage = await freshStorage();
  const secrets = [() => Promise.reject(new StorageUnavailable("busy")), () => storage.cursorSecret()];
  const wrapped = wrapStorage(storage, {
    cursorSecret: () => (secrets.shift() ?? assert.fail("it was read already"))(),
  });
  const { send, api } = await testCrm([one], { storage: wrapped });
  const statuses = [];
  for (let i = 0; i < 3; i++) statuses.push((await send("GET", "/tasks", { key })).status);
  assert.deepEqual(statuses, [503, 200, 200]);
  await api.close();
});

test("a failed lastUsedAt update is logged, and the request succeeds", async () => {
  const { send, logged, api } = await failing("commit", () => {
    throw errorWithSecrets;
  });
  assert.equal(dataOf<{ tenantId: string }>(await send("GET", "/me", { key })).tenantId, one.id);
  await api.idle();
  assert.deepEqual(
    logged.map((line) => (line as { err: unknown }).err),
    [errorWithSecrets],
  );
  await api.close();
});

test("a logger that throws doesn't change the response", async () => {
  const storage = await freshStorage();
  const list = async (): Promise<never> => Promise.reject(errorWithSecrets);
  const logger = { error: (): never => assert.fail("the log is full") };
  const { send } = await testCrm([one], { storage: wrapStorage(storage, { list }), logger });
  assert.equal(verdict(await send("GET", "/users", { key })), "500 internal_error");
});

test("an operation in process rejects with internal_error if the storage fails", async () => {
  const { api } = await failing("list", () => {
    throw errorWithSecrets;
  });
  const listTasks = api.operations.listTasks ?? assert.fail("there is no such operation");
  await assert.rejects(listTasks({ caller: { tenantId: one.id, scopes: ["tasks:read"] } }), (error) => {
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.code, error.status, error.cause], ["internal_error", 500, undefined]);
    assert.doesNotMatch(JSON.stringify(error), /SELECT|crm\.db/);
    return true;
  });
});

test("a write with repeated conflicts returns 503 and overwrites nothing", async () => {
  const storage = await freshStorage();
  const other = await testCrm([one], { storage });
  const overtake = other.api.operations.updateTask ?? assert.fail("there is no such operation");
  const caller = { tenantId: one.id, scopes: ["tasks:write"] };
  let times = 0;
  const wrapped = wrapStorage(storage, {
    async get(tenant, kind, id) {
      const record = await storage.get(tenant, kind, id);
      if (kind === "task") await overtake({ caller, params: { id }, body: { title: `Call ${times++}` } });
      return record;
    },
  });
  const { send } = await testCrm([], { storage: wrapped });
  const result = await send("PATCH", `/tasks/${one.task}`, { key, body: { title: "Write" } });
  assert.equal(verdict(result), "503 internal_error");
  const { title } = dataOf(await other.send("GET", `/tasks/${one.task}`, { key }));
  assert.equal(title, `Call ${times - 1}`);
});
