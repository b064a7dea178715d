import assert from "node:assert/strict";
import { after, test } from "node:test";
import { hashKey } from "../../../lib/auth/api-key.ts";
import { type Storage, wrapStorage } from "../../../lib/index.ts";
import { insertWrite, newTask } from "../../../lib/storage/contract/records.ts";
// The turns of the event loop are counted, so the storage is always SQLite.
import { sqliteStorage } from "../../../lib/storage/sqlite/index.ts";
import { itemsOf } from "../../support/batches.ts";
import { errorOf, one, openCrm, two, verdict } from "../../support/crm.ts";

type Crm = Awaited<ReturnType<typeof openCrm>>;

/** The longest possible description: 262,144 bytes in UTF-8. */
const longest = "👩".repeat(65_536);
const tooLong = "The records that the batch reads or returns exceed 4 MiB. Nothing was written. Send fewer operations.";

/** Adds tasks with a long description and returns their IDs. */
async function addLongTasks({ storage, clock }: Crm, count: number, description = longest): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, index) => `0195aaaa-0000-7000-8000-${String(index).padStart(12, "0")}`);
  for (const id of ids)
    await storage.commit(one.id, clock.now(), (at) => [insertWrite("task", { ...newTask(id, at), description })]);
  return ids;
}

const renames = (ids: readonly string[]) => ids.map((id) => ({ op: "update", id, data: { title: `New ${id}` } }));

test("a batch that returns more than 4 MiB gets 413, and nothing is written", async () => {
  const crm = await openCrm();
  const ids = await addLongTasks(crm, 100);
  const sent = { key: one.key, headers: { "idempotency-key": "long-1" } };
  const rejected = await crm.send("POST", "/tasks/batch", { ...sent, body: { operations: renames(ids) } });
  assert.deepEqual([rejected.status, errorOf(rejected).code], [413, "bad_request"]);
  assert.equal(errorOf(rejected).message, tooLong);
  for (const id of ids.slice(0, 3)) assert.notEqual((await crm.read(`/tasks/${id}`)).title, `New ${id}`);
  // The key is free, because only successful requests are stored.
  const fewer = await crm.send("POST", "/tasks/batch", { ...sent, body: { operations: renames(ids.slice(0, 15)) } });
  assert.equal(fewer.status, 200);
  assert.ok(Buffer.byteLength(fewer.text) < 4 * 1024 * 1024);
  assert.equal((await crm.read(`/tasks/${ids[0]}`)).title, `New ${ids[0]}`);
});

test("a batch that reads more than 4 MiB gets 413, even if every operation fails", async () => {
  const crm = await openCrm();
  const ids = await addLongTasks(crm, 20);
  const failing = ids.map((id) => ({ op: "update", id, data: { assignedTo: two.member } }));
  const rejected = await crm.call("POST", "/tasks/batch", { operations: failing });
  assert.deepEqual([rejected.status, errorOf(rejected).message], [413, tooLong]);
  const fewer = await crm.call("POST", "/tasks/batch", { operations: failing.slice(0, 15) });
  assert.equal(fewer.status, 207);
  assert.deepEqual(new Set(itemsOf(fewer).map(({ status }) => status)), new Set([422]));
});

test("a batch whose response exceeds 4 MiB because of escapes gets 413", async () => {
  const crm = await openCrm();
  // Each character takes six bytes in JSON.
  const ids = await addLongTasks(crm, 15, "\u0001".repeat(65_536));
  const rejected = await crm.call("POST", "/tasks/batch", { operations: renames(ids) });
  assert.deepEqual([rejected.status, errorOf(rejected).message], [413, tooLong]);
  assert.equal((await crm.call("POST", "/tasks/batch", { operations: renames(ids.slice(0, 10)) })).status, 200);
});

test("a batch whose errors exceed 4 MiB gets 413", async () => {
  const fields = Array.from({ length: 50 }, (_, index) => `f${index}`);
  const options = Array.from({ length: 20 }, (_, index) => `${index}`.padEnd(60, "x"));
  const customFields = fields.map((key) => ({ entity: "contact", key, label: key, type: "list", options }));
  const crm = await openCrm({ "/customFields": customFields });
  const data = { name: "Ida", customFields: Object.fromEntries(fields.map((key) => [key, "?"])) };
  const batch = (count: number) =>
    crm.call("POST", "/contacts/batch", { operations: Array.from({ length: count }, () => ({ op: "create", data })) });
  const rejected = await batch(100);
  assert.deepEqual([rejected.status, errorOf(rejected).message], [413, tooLong]);
  assert.equal((await batch(50)).status, 207);
});

test("the references of a batch count as what it reads", async () => {
  const crm = await openCrm();
  const accounts = [];
  for (let index = 0; index < 17; index++)
    accounts.push(await crm.create("/accounts", { name: `Account ${index}`, description: longest }));
  const create = (ids: readonly string[]) => ({
    operations: ids.map((accountId, index) => ({ op: "create", data: { name: `Contact ${index}`, accountId } })),
  });
  const ids = accounts.map(({ id }) => id);
  assert.equal(verdict(await crm.call("POST", "/contacts/batch", create(ids))), "413 bad_request");
  // A record that several operations refer to is read once.
  const same = Array.from({ length: 17 }, () => ids[0] ?? "");
  assert.equal((await crm.call("POST", "/contacts/batch", create(same))).status, 200);
});

test("a dry run of a batch has the same limit", async () => {
  const crm = await openCrm();
  const ids = await addLongTasks(crm, 17);
  const options = { key: one.key, headers: { prefer: "dry-run" } };
  const rejected = await crm.send("POST", "/tasks/batch", { ...options, body: { operations: renames(ids) } });
  assert.equal(verdict(rejected), "413 bad_request");
});

test("a batch lets other work run between operations if they take more than 25 ms", async () => {
  const turnsOf = async (msPerReading: number): Promise<number> => {
    let time = 0;
    const clock = { now: () => Date.parse("2026-03-01T12:00:00Z"), monotonic: () => (time += msPerReading) };
    const crm = await openCrm({}, { clock });
    const operations = Array.from({ length: 50 }, (_, index) => ({ op: "create", data: { title: `Task ${index}` } }));
    let [turns, isRunning] = [0, true];
    const count = (): void => {
      turns++;
      if (isRunning) setImmediate(count);
    };
    setImmediate(count);
    const result = await crm.call("POST", "/tasks/batch", { operations });
    isRunning = false;
    assert.equal(result.status, 200);
    return turns;
  };
  assert.ok((await turnsOf(26)) >= 50);
  assert.ok((await turnsOf(0)) < 25);
});

/** Without it, a test whose commits are never released would hang. */
const timeout = 30_000;

/** A storage whose commits wait until the test releases them. */
function withHeldCommits() {
  const storage = sqliteStorage({ file: ":memory:" });
  const held: { tenant: string; release: () => void }[] = [];
  let isHolding = false;
  const commit: Storage["commit"] = async (tenant, ...parameters) => {
    if (isHolding) await new Promise<void>((release) => held.push({ tenant, release }));
    return storage.commit(tenant, ...parameters);
  };
  const hold = (isHeld = true): void => {
    isHolding = isHeld;
  };
  // The API of a test that failed waits for its commits when it closes.
  after(() => {
    hold(false);
    for (const { release } of held) release();
  });
  return { storage: wrapStorage(storage, { commit }), held, hold };
}

const turns = async (count = 50): Promise<void> => {
  for (let index = 0; index < count; index++) await new Promise((resolve) => setImmediate(resolve));
};

test("two batches of a tenant run at a time, the others wait in order, and other requests don't wait", {
  timeout,
}, async () => {
  const { storage, held, hold } = withHeldCommits();
  const { send, read, clock } = await openCrm({}, { storage });
  // The use of an API key is recorded in its own commit.
  for (const { key } of [one, two]) await send("GET", "/me", { key });
  await turns();
  hold();
  const ended: string[] = [];
  const batch = async (name: string, key: string): Promise<void> => {
    const operations = [{ op: "create", data: { title: name } }];
    const { status } = await send("POST", "/tasks/batch", { key, body: { operations } });
    ended.push(`${name} ${status}`);
  };
  const sent = ["1", "2", "3", "4"].map((name) => batch(name, one.key));
  sent.push(batch("other", two.key));
  await turns();
  assert.deepEqual(
    held.map(({ tenant }) => tenant),
    [one.id, one.id, two.id],
  );
  clock.advance(1_000);
  assert.equal((await read(`/accounts/${one.account}`)).id, one.account);
  for (let next = 0; next < 5; next++) {
    held[next]?.release();
    await turns();
  }
  await Promise.all(sent);
  assert.deepEqual(ended, ["1 200", "2 200", "other 200", "3 200", "4 200"]);
});

test("a tenant with 100 waiting batches gets 503 for more, and another tenant isn't affected", {
  timeout,
}, async (t) => {
  const { storage, held, hold } = withHeldCommits();
  const { send } = await openCrm({}, { storage });
  for (const { key } of [one, two]) await send("GET", "/me", { key });
  await turns();
  hold();
  const batch = (key: string) =>
    send("POST", "/tasks/batch", { key, body: { operations: [{ op: "create", data: { title: "T" } }] } });
  const waiting = Array.from({ length: 102 }, () => batch(one.key));
  await turns();
  const rejected = await batch(one.key);
  assert.deepEqual([rejected.status, rejected.headers.get("retry-after")], [503, "1"]);
  const others = batch(two.key);
  for (let next = 0; next < 103; next++) {
    while (held[next] === undefined) {
      t.signal.throwIfAborted();
      await turns(1);
    }
    held[next]?.release();
  }
  for (const { status } of await Promise.all([...waiting, others])) assert.equal(status, 200);
});

test("a batch whose API key was revoked while it waited gets 401", { timeout }, async () => {
  const { storage, held, hold } = withHeldCommits();
  const { send, clock } = await openCrm({}, { storage });
  await send("GET", "/me", { key: one.key });
  await turns();
  const hash = hashKey(one.key);
  const apiKey = (await storage.list(one.id, "apiKey", {})).find((each) => each.hash === hash);
  assert.ok(apiKey);
  const revoke = () =>
    storage.commit(one.id, clock.now(), (at) => {
      const record = { ...apiKey, lastUsedAt: clock.now(), revokedAt: clock.now(), updatedAt: at };
      return [{ op: "update", kind: "apiKey", record, expectedUpdatedAt: apiKey.updatedAt }];
    });
  hold();
  const batch = () =>
    send("POST", "/tasks/batch", { key: one.key, body: { operations: [{ op: "create", data: { title: "T" } }] } });
  const sent = [batch(), batch(), batch()];
  await turns();
  const revoked = revoke();
  clock.advance(1_000);
  held[2]?.release();
  await revoked;
  hold(false);
  for (let next = 0; next < 2; next++) held[next]?.release();
  const results = await Promise.all(sent);
  assert.equal(results[2]?.status, 401);
});
