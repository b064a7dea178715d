import assert from "node:assert/strict";
import { test } from "node:test";
import { turnTaker } from "../../lib/api/batch-limits.ts";

test("turnTaker() lets one batch run in a turn of the event loop, for 25 ms in a row", async () => {
  let time = 0;
  const clock = { now: () => time, monotonic: () => time };
  let turn = 0;
  let isCounting = true;
  const count = (): void => {
    turn++;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
  const operations: { readonly batch: number; readonly turn: number }[] = [];
  const run = async (batch: number): Promise<void> => {
    const takeTurn = turnTaker(clock);
    for (let operation = 0; operation < 4; operation++) {
      await takeTurn();
      operations.push({ batch, turn });
      time += 13;
    }
  };
  await Promise.all([1, 2, 3].map(run));
  isCounting = false;
  const turns = Map.groupBy(operations, (each) => each.turn);
  assert.deepEqual(
    [...turns.values()].map((each) => each.map(({ batch }) => batch)),
    [
      [1, 1],
      [2, 2],
      [3, 3],
      [1, 1],
      [2, 2],
      [3, 3],
    ],
  );
});
