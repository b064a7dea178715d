import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startTestCrm } from "../../../lib/testing/index.ts";

const crm = await startTestCrm();
after(() => crm.close());

async function control(method: string, name: string, body?: unknown): Promise<{ status: number; data: unknown }> {
  const headers = { "content-type": "application/json" };
  const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
  const response = await crm.fetch(`/__fixtures${name}`, init);
  const text = await response.text();
  return { status: response.status, data: JSON.parse(text).data };
}

async function titles(): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { title } of crm.client.tasks.list().records()) found.push(title);
  return found;
}

test("GET /__fixtures lists the control routes", async () => {
  const index = [
    "GET /__fixtures/",
    "POST /__fixtures/reset",
    "POST /__fixtures/snapshot",
    "POST /__fixtures/restore",
    "GET /__fixtures/clock",
    "POST /__fixtures/clock",
    "GET /__fixtures/faults",
    "POST /__fixtures/faults",
    "DELETE /__fixtures/faults",
    "GET /__fixtures/requests",
  ];
  for (const path of ["", "/"]) assert.deepEqual(await control("GET", path), { status: 200, data: index }, path);
});

test("faults are listed and cleared", async () => {
  const fault = { operation: "createTask", times: 2, status: 503, retryAfter: 1 };
  assert.deepEqual(await control("POST", "/faults", { operation: "createTask", times: 2, status: 503 }), {
    status: 200,
    data: [fault],
  });
  assert.deepEqual(await control("GET", "/faults"), { status: 200, data: [fault] });
  assert.deepEqual(await control("DELETE", "/faults"), { status: 200, data: [] });
  assert.deepEqual(await control("GET", "/faults"), { status: 200, data: [] });
  assert.equal((await control("PUT", "/faults")).status, 405);
});

test("a snapshot can be restored, also after a reset", async () => {
  await crm.client.tasks.create({ title: "Before" });
  const { data } = await control("POST", "/snapshot");
  await crm.client.tasks.create({ title: "After" });
  assert.deepEqual(await titles(), ["Before", "After"]);
  await control("POST", "/reset");
  assert.deepEqual(await titles(), []);
  assert.equal((await control("POST", "/restore", data)).status, 200);
  assert.deepEqual(await titles(), ["Before"]);
});

test("restoring an unknown snapshot returns 400, and keeps the records", async () => {
  await crm.client.tasks.create({ title: "Here" });
  for (const snapshot of ["999", "", "constructor", 1])
    assert.equal((await control("POST", "/restore", { snapshot })).status, 400, String(snapshot));
  assert.ok((await titles()).includes("Here"));
});

test("the server keeps the latest 20 snapshots", async () => {
  const { data: first } = await control("POST", "/snapshot");
  for (let i = 0; i < 20; i++) await control("POST", "/snapshot");
  assert.equal((await control("POST", "/restore", first)).status, 400);
});
