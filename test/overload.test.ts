import assert from "node:assert/strict";
import { test } from "node:test";
import { errorOf } from "./answers.ts";
import { testCrm } from "./harness.ts";
import { testTenant } from "./tenants.ts";

test("a request more than may be under way is answered 503 with Retry-After, and the next is served again", async () => {
  const one = testTenant(1);
  const { api, send } = await testCrm([one], { inFlightMax: 1 });
  const get = () => send("GET", "/me", { key: one.key, headers: { "x-request-id": "one-too-many" } });
  const [first, second] = await Promise.all([get(), get()]);
  assert.deepEqual([first.status, second.status, second.headers.get("retry-after")], [200, 503, "1"]);
  assert.deepEqual(errorOf(second), {
    code: "internal_error",
    message: "The service cannot do this just now. Try again with the same Idempotency-Key.",
    details: { requestId: "one-too-many" },
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal((await get()).status, 200);
  await api.close();
});
