import assert from "node:assert/strict";
import { test } from "node:test";
import { getHeapSpaceStatistics } from "node:v8";
import { releaseMemory } from "../../bin/server/release-memory.ts";

const smallBytes = 2 * 1024 * 1024;

function youngGenerationBytes(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  return space?.space_size ?? 0;
}

test("the memory of the start is returned", () => {
  const objects: object[] = [];
  // The young generation grows while objects survive.
  while (youngGenerationBytes() <= 2 * smallBytes) objects.push(Array.from({ length: 10_000 }, () => ({})));
  const before = youngGenerationBytes();
  releaseMemory();
  const after = youngGenerationBytes();
  assert.ok(after <= smallBytes, `the young generation had ${before} bytes, and has ${after}`);
});
