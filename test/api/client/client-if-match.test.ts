import assert from "node:assert/strict";
import { after, test } from "node:test";
import { CrmError, createClient } from "../../../lib/client/index.ts";
import { baseUrl, testCrm } from "../../support/harness.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { api } = await testCrm([one]);
after(() => api.close());

/** A client that counts its requests. The responses of the first `lost` requests get lost. */
function countingClient(lost = 0) {
  const counter = { requests: 0 };
  const client = createClient({
    baseUrl,
    apiKey: one.key,
    wait: async () => {},
    fetch: async (url, init) => {
      const response = await api.fetch(new Request(url, init));
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
