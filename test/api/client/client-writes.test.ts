import assert from "node:assert/strict";
import { after, test } from "node:test";
import { CrmError } from "../../../lib/client/index.ts";
import { clientOf } from "../../support/client.ts";
import { testCrm } from "../../support/harness.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const crm = await testCrm([one]);
after(() => crm.api.close());
const { accounts, contacts, tasks } = clientOf(crm, one.key, { retries: 0 });

test("upsert creates, updates or changes nothing, and returns which", async () => {
  const created = await contacts.upsert({ email: "ida@tenant.test", name: "Ida" }, { matchBy: "email" });
  assert.deepEqual([created.result, created.data.name], ["created", "Ida"]);
  const { result, data } = await contacts.upsert({ email: "IDA@tenant.test", phone: "1" }, { matchBy: "email" });
  assert.deepEqual([result, data.id, data.phone], ["updated", created.data.id, "1"]);
  const same = await contacts.upsert({ email: "IDA@tenant.test" }, { matchBy: "email", onlyIf: "exists" });
  assert.equal(same.result, "unchanged");
});

test("batch returns one item per operation, and throws if it is atomic and one fails", async () => {
  const { id } = await accounts.create({ name: "Batched" });
  const items = await accounts.batch([
    { op: "update", id, data: { phone: "1" } },
    { op: "create", data: { name: "batched" } },
    { op: "upsert", matchBy: "name", data: { name: "New" } },
  ]);
  assert.deepEqual(
    items.map(({ status, result, error }) => [status, result ?? error?.code]),
    [
      [200, "updated"],
      [409, "duplicate"],
      [201, "created"],
    ],
  );
  assert.equal(items[0]?.data?.phone, "1");
  const failing = tasks.batch([{ op: "create", data: { title: "" } }], { atomic: true });
  await assert.rejects(failing, (error) => error instanceof CrmError && error.status === 422);
});

test("dryRun returns the response of each write and changes nothing", async () => {
  const dryRun = true;
  const task = await tasks.create({ title: "Call" });
  assert.equal((await tasks.create({ title: "Write" }, { dryRun })).title, "Write");
  assert.equal((await tasks.update(task.id, { title: "Changed" }, { dryRun })).title, "Changed");
  await tasks.archive(task.id, { dryRun });
  assert.equal(
    (await contacts.upsert({ email: "dry@tenant.test", name: "Dry" }, { matchBy: "email", dryRun })).result,
    "created",
  );
  assert.deepEqual(await tasks.get(task.id), task);
  for await (const { title } of tasks.list().records()) assert.notEqual(title, "Write");
});

test("get returns undefined if the record still has the updatedAt of ifNoneMatch", async () => {
  const task = await tasks.create({ title: "Call" });
  assert.equal(await tasks.get(task.id, { ifNoneMatch: task.updatedAt }), undefined);
  const changed = await tasks.update(task.id, { title: "Write" });
  assert.deepEqual(await tasks.get(task.id, { ifNoneMatch: task.updatedAt }), changed);
});

/** A client that counts its requests. The responses of the first `lost` requests get lost. */
function countingClient(lost = 0) {
  const counter = { requests: 0 };
  const client = clientOf(crm, one.key, {
    wait: async () => {},
    fetch: async (url, init) => {
      const response = await crm.api.fetch(new Request(url, init));
      if (++counter.requests <= lost) throw new TypeError("fetch failed");
      return response;
    },
  });
  return { client, counter };
}

test("update and archive with ifMatch throw 412 conflict if the record has changed", async () => {
  const { client, counter } = countingClient();
  const read = await client.tasks.create({ title: "Read" });
  const changed = await client.tasks.update(read.id, { title: "Changed" }, { ifMatch: read.updatedAt });
  const isStale = (error: unknown) =>
    error instanceof CrmError &&
    error.status === 412 &&
    error.code === "conflict" &&
    error.details.updatedAt === changed.updatedAt;
  await assert.rejects(client.tasks.update(read.id, { title: "Lost" }, { ifMatch: read.updatedAt }), isStale);
  await assert.rejects(client.tasks.archive(read.id, { ifMatch: read.updatedAt }), isStale);
  assert.equal(counter.requests, 4, "a 412 is not retried");
  assert.deepEqual(await client.tasks.get(read.id), changed);
  await client.tasks.archive(read.id, { ifMatch: changed.updatedAt });
  await assert.rejects(client.tasks.get(read.id), { status: 404 });
});

test("archive with ifMatch succeeds if the response of the first attempt is lost", async () => {
  const task = await countingClient().client.tasks.create({ title: "Archive" });
  const { client, counter } = countingClient(1);
  await client.tasks.archive(task.id, { ifMatch: task.updatedAt });
  assert.equal(counter.requests, 2);
});
