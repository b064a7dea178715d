import assert from "node:assert/strict";
import { test } from "node:test";
import { testCrm } from "./harness.ts";
import { testTenant } from "./tenants.ts";

test("a task is created, read, changed, archived and restored", async () => {
  const one = testTenant(1);
  const { send, api } = await testCrm([one]);
  const made = await send("POST", "/tasks", { key: one.key, body: { title: "x" } });
  assert.equal(made.status, 201, made.text);
  await api.close();
});
