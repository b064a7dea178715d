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

test("a batch of creates starts during the commit of the one before, and commits after it", async () => {
  const { sent, completed, result } = startImport(5);
  await settle();
  assert.deepEqual(
    sent.map(({ names }) => names),
    [["Row 1", "Row 2"]],
    "the first batch is still checked",
  );
  await sent[0]?.options.beforeCommit?.();
  await settle();
  assert.equal(sent.length, 2);
  let canCommit = false;
  const committing = sent[1]?.options.beforeCommit?.().then(() => {
    canCommit = true;
  });
  await settle();
  assert.deepEqual([canCommit, sent.length, completed], [false, 2, []]);
  sent[0]?.finish();
  await committing;
  await settle();
  assert.deepEqual([sent.length, completed], [3, [2]]);
  sent[2]?.finish();
  await settle();
  assert.deepEqual(completed, [2], "rows complete in order");
  sent[1]?.finish();
  const { rows, counts, isComplete } = await result;
  assert.deepEqual([rows, counts.created, isComplete, completed], [5, 5, true, [2, 4, 5]]);
});

test("a batch of updates, or of a dry run, starts after the one before", async () => {
  for (const options of [{ upsertBy: "title" }, { dryRun: true }]) {
    const { sent, result } = startImport(3, options);
    await settle();
    assert.equal(sent[0]?.options.beforeCommit, undefined);
    assert.equal(sent.length, 1);
    sent[0]?.finish();
    await settle();
    sent[1]?.finish();
    assert.equal((await result).rows, 3);
  }
});

test("an import that fails waits for the batches that run, and commits no later batch", async () => {
  const { sent, completed, result } = startImport(9);
  let failure: unknown;
  result.catch((error) => {
    failure = error;
  });
  await settle();
  await sent[0]?.options.beforeCommit?.();
  await settle();
  sent[0]?.fail(new Error("lost"));
  await settle();
  assert.equal(failure, undefined, "the second batch still runs");
  await assert.rejects(async () => sent[1]?.options.beforeCommit?.(), /lost/);
  sent[1]?.fail(new Error("not committed"));
  await settle();
  assert.deepEqual([String(failure), completed, sent.length], ["Error: lost", [], 2]);
});

test("an import whose second batch fails first completes the first one", async () => {
  const { sent, completed, result } = startImport(9);
  await settle();
  await sent[0]?.options.beforeCommit?.();
  await settle();
  sent[1]?.fail(new Error("lost"));
  // Without a handler of the rejection, the process would end.
  await settle();
  sent[0]?.finish();
  await assert.rejects(result, /lost/);
  assert.deepEqual(completed, [2]);
});

test("an import that is stopped completes the batches that run", async () => {
  const { sent, completed, stop, result } = startImport(9);
  await settle();
  await sent[0]?.options.beforeCommit?.();
  await settle();
  stop.abort();
  for (const { finish } of sent) finish();
  const { rows, isComplete } = await result;
  assert.deepEqual([rows, isComplete, completed], [4, false, [2, 4]]);
});
