import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createApi, wrapStorage } from "../../lib/index.ts";
import { memoryStorage } from "../../lib/storage/memory.ts";
import { run } from "../support/serve-demo.ts";

test("two APIs in each framework leave no global, process handler or open resource behind", async () => {
  const probe = fileURLToPath(new URL("../support/life-probe.ts", import.meta.url));
  const { code, stdout, stderr } = await run(process.execPath, [probe]);
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), { statuses: [201, 201, 201, 201, 201, 201], changed: [] });
});

test("after close() the API makes no storage calls", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const calls: string[] = [];
  const storage = memoryStorage();
  const watched = wrapStorage(storage, {
    async pruneIdempotencyRecords(before) {
      calls.push("sweep");
      return storage.pruneIdempotencyRecords(before);
    },
    async close() {
      calls.push("close");
      await storage.close();
    },
  });
  const api = createApi({ storage: watched });
  t.mock.timers.tick(60_000);
  await api.close();
  t.mock.timers.tick(600_000);
  assert.deepEqual(calls, ["sweep", "close"]);
});
