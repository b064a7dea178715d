import assert from "node:assert/strict";
import { test } from "node:test";
import { KnownClocks } from "../../lib/storage/postgres/known-clocks.ts";

/** Returns how many commits with locked clocks precede the next guess. */
function countLocked(clocks: KnownClocks): number {
  let count = 0;
  for (; !clocks.isGuessable("one"); count++) clocks.setLocked("one", count, true);
  return count;
}

test("each wrong guess in a row doubles the number of commits before the next guess, up to 64", () => {
  const clocks = new KnownClocks();
  assert.ok(clocks.isGuessable("one"));
  const counts = Array.from({ length: 6 }, () => {
    clocks.setWrong("one", 10);
    return countLocked(clocks);
  });
  assert.deepEqual(counts, [4, 8, 16, 32, 64, 64]);
  assert.ok(clocks.isGuessable("another"));
});

test("a right guess halves it, and a clock that another server has locked is no wrong guess at first", () => {
  const clocks = new KnownClocks();
  clocks.setWrong("one");
  assert.equal(countLocked(clocks), 1);
  clocks.setWrong("one", 10);
  assert.equal(countLocked(clocks), 4);
  clocks.setRight("one", 20);
  assert.deepEqual([clocks.isGuessable("one"), clocks.time("one")], [true, 20]);
  clocks.setWrong("one");
  assert.equal(countLocked(clocks), 4);
});

test("a clock that another server has changed starts the count again", () => {
  const clocks = new KnownClocks();
  clocks.setWrong("one", 10);
  clocks.setLocked("one", 11, true);
  clocks.setLocked("one", 30, false);
  assert.equal(countLocked(clocks), 4);
});
