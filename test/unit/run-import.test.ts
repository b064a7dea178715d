import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type ImportItem,
  type ImportOptions,
  type RawRow,
  runImport,
  type SendBatch,
} from "../../lib/transfer/index.ts";

type Options = Parameters<SendBatch>[1];

/** A sent batch that waits for the test. */
type Sent = { readonly names: readonly unknown[]; readonly options: Options; finish(): void; fail(error: Error): void };

/** Starts an import of rows with two rows per batch. Its batches end when the test says so. */
function startImport(rows: number, options: Partial<ImportOptions> = {}) {
  const sent: Sent[] = [];
  const completed: number[] = [];
  const stop = new AbortController();
  const input = Array.from({ length: rows }, (_, index): RawRow => ({ line: index + 2, raw: `Row ${index + 1}` }));
  const result = runImport(input, {
    parse: ({ raw }) => ({
      pairs: [{ target: { name: "title", field: "title", valueType: "text", nullable: false }, value: raw }],
      errors: [],
    }),
    send: (operations, options) =>
      new Promise<readonly ImportItem[]>((resolve, reject) => {
        const finish = () => resolve(operations.map(() => ({ result: "created" })));
        sent.push({ names: operations.map(({ operation }) => operation.data.title), options, finish, fail: reject });
      }),
    find: { all: async () => [], by: async (_, __, values) => values.map(() => []) },
    options: { entity: "task", batchSize: 2, ...options },
    onProgress: ({ rows }) => completed.push(rows),
    signal: stop.signal,
  });
  return { sent, completed, stop, result };
}

/** Lets everything run that doesn't wait for the test. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test("a batch of creates starts during the commit of the one before, and rows complete in order", async () => {
  const { sent, completed, result } = startImport(5);
  await settle();
  assert.deepEqual(
    sent.map(({ names }) => names),
    [["Row 1", "Row 2"]],
    "the first batch is still checked",
  );
  sent[0]?.options.onCommitStart?.();
  await settle();
  assert.equal(sent.length, 2);
  sent[1]?.options.onCommitStart?.();
  sent[1]?.finish();
  await settle();
  assert.deepEqual([sent.length, completed], [2, []], "at most two batches run, and the first isn't complete");
  sent[0]?.finish();
  await settle();
  assert.deepEqual([sent.length, completed], [3, [2, 4]]);
  sent[2]?.finish();
  const { rows, counts, isComplete } = await result;
  assert.deepEqual([rows, counts.created, isComplete, completed], [5, 5, true, [2, 4, 5]]);
});

test("a batch of updates, or of a dry run, starts after the one before", async () => {
  for (const options of [{ upsertBy: "title" }, { dryRun: true }]) {
    const { sent, result } = startImport(3, options);
    await settle();
    assert.equal(sent[0]?.options.onCommitStart, undefined);
    assert.equal(sent.length, 1);
    sent[0]?.finish();
    await settle();
    sent[1]?.finish();
    assert.equal((await result).rows, 3);
  }
});

test("an import that fails or is stopped waits for the batches that run", async () => {
  const failing = startImport(9);
  let failure: unknown;
  failing.result.catch((error) => {
    failure = error;
  });
  await settle();
  failing.sent[0]?.options.onCommitStart?.();
  await settle();
  failing.sent[0]?.fail(new Error("lost"));
  await settle();
  assert.equal(failure, undefined, "the second batch still runs");
  failing.sent[1]?.finish();
  await settle();
  assert.deepEqual([String(failure), failing.completed, failing.sent.length], ["Error: lost", [], 2]);

  const stopped = startImport(9);
  await settle();
  stopped.sent[0]?.options.onCommitStart?.();
  await settle();
  stopped.stop.abort();
  for (const { finish } of stopped.sent) finish();
  const { rows, isComplete } = await stopped.result;
  assert.deepEqual([rows, isComplete, stopped.completed], [4, false, [2, 4]]);
});
