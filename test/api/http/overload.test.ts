import assert from "node:assert/strict";
import { test } from "node:test";
import { wrapStorage } from "../../../lib/index.ts";
import { gatedStorage } from "../../support/gated-storage.ts";
import { baseUrl, testCrm } from "../../support/harness.ts";
import { errorOf } from "../../support/responses.ts";
import { freshStorage } from "../../support/storages.ts";
import { testTenant } from "../../support/tenants.ts";

test("a request over the limit of concurrent requests gets 503 with Retry-After, and the next one is handled", async () => {
  const one = testTenant(1);
  const { storage, shut, open } = gatedStorage(await freshStorage());
  const { api, send } = await testCrm([one], { storage, maxInFlight: 1 });
  const get = () => send("GET", "/me", { key: one.key, headers: { "x-request-id": "one-too-many" } });
  shut();
  const [first, second] = await Promise.all([get(), get().finally(open)]);
  assert.deepEqual([first.status, second.status, second.headers.get("retry-after")], [200, 503, "1"]);
  assert.deepEqual(errorOf(second), {
    code: "internal_error",
    message: "Temporarily unavailable. Retry the request.",
    details: { requestId: "one-too-many" },
  });
  assert.equal((await get()).status, 200);
  await api.close();
});

test("maxInFlight doesn't count requests whose body is still arriving", async () => {
  const one = testTenant(1);
  const { storage, shut, open } = gatedStorage(await freshStorage());
  const { api, send } = await testCrm([one], { storage, maxInFlight: 1 });
  const headers = { "x-api-key": one.key, "content-type": "application/json" };
  const post = () => {
    const { readable: body, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const response = api.fetch(new Request(`${baseUrl}/tasks`, { method: "POST", headers, body, duplex: "half" }));
    const writer = writable.getWriter();
    // Resolves when the API reads it, after the authentication.
    const isRead = writer.write(Buffer.from('{"title":'));
    return { response, isRead, end: () => Promise.all([writer.write(Buffer.from('"Call"}')), writer.close()]) };
  };
  const posts = [];
  for (const start of [post, post]) {
    const started = start();
    posts.push(started);
    await started.isRead;
  }
  for (let times = 0; times < 3; times++) assert.equal((await send("GET", "/me", { key: one.key })).status, 200);
  shut();
  await Promise.all(posts.map(({ end }) => end()));
  void Promise.race(posts.map(({ response }) => response)).then(open);
  const statuses = await Promise.all(posts.map(async ({ response }) => (await response).status));
  assert.deepEqual(statuses.sort(), [201, 503]);
  await api.close();
});

test("recording the use of an API key doesn't count as a request, and runs once for concurrent requests", async () => {
  const one = testTenant(1);
  const storage = await freshStorage();
  const released = Promise.withResolvers<void>();
  let startedCount = 0;
  const commit: typeof storage.commit = async (...parameters) => {
    // The tenant's file is loaded before.
    if (startedCount++ > 0) await released.promise;
    return storage.commit(...parameters);
  };
  const { api, send } = await testCrm([one], { storage: wrapStorage(storage, { commit }), maxInFlight: 1 });
  for (let times = 0; times < 5; times++) assert.equal((await send("GET", "/me", { key: one.key })).status, 200);
  assert.equal(startedCount, 2);
  released.resolve();
  await api.close();
});
