import assert from "node:assert/strict";
import { test } from "node:test";
import { unlimitedSpace } from "../../bin/database/free-space-monitor.ts";
import { System } from "../../bin/server/system.ts";
import type { RequestSummary } from "../../lib/index.ts";
import { memoryStorage } from "../../lib/storage/memory.ts";

const tenantId = "0199c0a1-2b3c-7d4e-8f50-617283940a1b";
const request = { tenantId, status: 200, durationMs: 3 } as RequestSummary;

const parts = {
  storage: memoryStorage,
  file: undefined,
  freeSpace: unlimitedSpace,
  health: { problems: async () => [] },
  backups: undefined,
};

test("a request on the boundary of two minutes counts for one of them", async () => {
  // Each read of the clock returns a later time.
  const times = [0, 119_999, 120_000, 120_001];
  const system = new System(parts, () => times.shift() ?? 120_002);
  system.onRequest(request);
  const { requests } = await system.status(tenantId);
  assert.equal(requests.length, 1);
  assert.equal((requests[0]?.at ?? 1) % 60_000, 0);
});
