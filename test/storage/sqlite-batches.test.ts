import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createTenant,
  idOf,
  insertWrite,
  newAccount,
  newContact,
  newTask,
  startTime,
} from "../../lib/storage/contract/records.ts";
import { type CommitStats, sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { StorageUnavailable, WriteConflict } from "../../lib/storage/storage.ts";
import { shared, testBoth } from "../support/sqlite-shared.ts";

const tenantId = "01950001-0000-7000-9000-000000000000";

test("onCommit receives the number of commits and the duration of each transaction", async () => {
  const batches: CommitStats[] = [];
  const storage = sqliteStorage({ file: ":memory:", onCommit: (batch) => void batches.push(batch) });
  const tenant = { id: tenantId, name: "One", createdAt: 1, archivedAt: null };
  const commit = () =>
    storage.commit(tenantId, 1, (at) => [{ op: "insert", kind: "tenant", record: { ...tenant, updatedAt: at } }]);
  const outcomes = await Promise.allSettled([commit(), commit(), commit()]);
  await storage.commit(tenantId, 1, () => []);
  assert.equal(await storage.pruneIdempotencyRecords(0), 0);
  await storage.close();
  assert.deepEqual(
    outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason instanceof WriteConflict),
    [false, true, true],
  );
  assert.ok(batches.every(({ durationMs }) => durationMs > 0));
  assert.deepEqual(
    batches.map(({ commits }) => commits),
    [3],
  );
});

test("a rejected commit in a shared transaction stores nothing, and the other commits are complete", async () => {
  const batches: CommitStats[] = [];
  const storage = sqliteStorage({ file: ":memory:", onCommit: (batch) => void batches.push(batch) });
  const user = (id: string, email: string) => ({
    ...({ op: "insert", kind: "user" } as const),
    record: {
      id,
      name: id,
      email,
      role: "member",
      active: true,
      externalId: null,
      createdAt: 1,
      archivedAt: null,
    } as const,
  });
  const commit = (...users: readonly ReturnType<typeof user>[]) =>
    storage.commit(tenantId, 1, (at) =>
      users.map((write) => ({ ...write, record: { ...write.record, updatedAt: at } })),
    );
  await storage.commit(tenantId, 1, (at) => [
    {
      ...{ op: "insert", kind: "tenant" },
      record: { id: tenantId, name: "One", createdAt: 1, updatedAt: at, archivedAt: null },
    },
  ]);
  const outcomes = await Promise.allSettled([
    commit(user("a", "a@one.example"), user("b", "b@one.example")),
    commit(user("c", "c@one.example"), user("d", "A@one.example")),
    commit(user("e", "c@one.example"), user("f", "f@one.example")),
    commit(user("g", "b@one.example"), user("h", "h@one.example")),
  ]);
  const stored = await storage.list(tenantId, "user", {});
  await storage.close();
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === "fulfilled" ? "stored" : (outcome.reason as WriteConflict).id)),
    ["stored", "a", "stored", "b"],
  );
  assert.deepEqual(
    stored.map(({ id, updatedAt }) => [id, updatedAt - (stored[0]?.updatedAt ?? 0)]),
    [
      ["a", 0],
      ["b", 0],
      ["e", 2],
      ["f", 2],
    ],
  );
  assert.deepEqual(
    batches.slice(1).map(({ commits }) => commits),
    [4],
  );
});

test("propose runs once for each of many rejected commits, which don't delay another tenant", async () => {
  let batches = 0;
  const storage = sqliteStorage({ file: ":memory:", onCommit: () => void batches++ });
  const [crowded, other] = [await createTenant(storage, 1), await createTenant(storage, 2)];
  batches = 0;
  let proposals = 0;
  const contacts = Array.from({ length: 300 }, (_, index) =>
    storage.commit(crowded, startTime, (at) => {
      proposals++;
      return [insertWrite("contact", newContact(idOf(1, index + 1), at, { email: "one@crm.test" }))];
    }),
  );
  const tasks = Array.from({ length: 100 }, (_, index) =>
    storage
      .commit(other, startTime, (at) => [insertWrite("task", newTask(idOf(2, index + 1), at))])
      .then(() => batches),
  );
  const [made, ...rejected] = await Promise.allSettled(contacts);
  assert.equal(made?.status, "fulfilled");
  assert.ok(rejected.every(({ status }) => status === "rejected"));
  assert.ok(Math.max(...(await Promise.all(tasks))) < 5, "the other tenant waited");
  assert.equal(proposals, contacts.length);
  assert.deepEqual(
    (await storage.list(other, "task", {})).map(({ id }) => id),
    tasks.map((_, index) => idOf(2, index + 1)),
  );
  await storage.close();
});

testBoth("commits of a tenant keep their order if an earlier one is rejected", async (commitThread) => {
  const { storage, tenant, holder } = await shared(commitThread);
  const taken = newAccount(idOf(1, 1), startTime, { name: "Taken" });
  await storage.commit(tenant, startTime, (at) => [insertWrite("account", { ...taken, updatedAt: at })]);
  const [first, second] = [idOf(1, 2), idOf(1, 3)];
  const outcomes = await Promise.allSettled([
    storage.commit(tenant, startTime, (at) => [insertWrite("account", newAccount(idOf(1, 9), at, { name: "Taken" }))]),
    storage.commit(tenant, startTime, (at) => [insertWrite("account", newAccount(first, at))]),
    storage.commit(tenant, startTime + 100, (at) => [
      insertWrite("contact", newContact(second, at, { accountId: first })),
    ]),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["rejected", "fulfilled", "fulfilled"],
  );
  assert.deepEqual(
    (await storage.list(tenant, "contact", {})).map(({ id, updatedAt }) => [id, updatedAt]),
    [[second, startTime + 100]],
  );
  holder.close();
  await storage.close();
});

testBoth("a commit that other writers overtake repeatedly rejects with StorageUnavailable", async (commitThread) => {
  const batches: number[] = [];
  const onCommit = ({ commits }: CommitStats): void => void batches.push(commits);
  const { storage, tenant, holder } = await shared(commitThread, { onCommit });
  const overtake = holder.prepare("UPDATE tenant_clocks SET last_at = last_at + 1");
  const commit = storage.commit(tenant, startTime, (at) => {
    overtake.run();
    return [insertWrite("task", newTask(idOf(1, 1), at))];
  });
  await assert.rejects(commit, new StorageUnavailable("Too many concurrent writes to this tenant."));
  assert.deepEqual(batches.slice(1), [1]);
  holder.close();
  await storage.close();
});
