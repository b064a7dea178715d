import assert from "node:assert/strict";
import { test } from "node:test";
import { getHeapSpaceStatistics } from "node:v8";
import { releaseMemory } from "../../bin/server/release-memory.ts";

const smallBytes = 2 * 1024 * 1024;

function youngGenerationBytes(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  return space?.space_size ?? 0;
}

/** Fills the young generation until it has more than these bytes: it grows while objects survive. Returns its size. */
function growBeyond(bytes: number): number {
  const objects: object[] = [];
  while (youngGenerationBytes() <= bytes) objects.push(Array.from({ length: 1_000 }, () => ({})));
  return youngGenerationBytes();
}

test("the memory of the start is returned, and comes back at once under load", () => {
  const before = growBeyond(2 * smallBytes);
  releaseMemory();
  const after = youngGenerationBytes();
  assert.ok(after <= smallBytes, `the young generation had ${before} bytes, and has ${after}`);
  const grown = growBeyond(smallBytes);
  assert.ok(grown >= 8 * smallBytes, `the young generation has grown to ${grown} bytes`);
});
