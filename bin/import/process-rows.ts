import { setTimeout as wait } from "node:timers/promises";
import { ApiError } from "#lib";
import { Failure } from "../cli/errors.ts";
import { InputStopped } from "./input-source.ts";
import type { Counts } from "./progress-file.ts";
import type { RawRow } from "./raw-row.ts";
import type { RowValues } from "./row-values.ts";
import type { RowOutcome, RowWriter } from "./row-writer.ts";

/** Rows per batch: enough to fill a few group commits. */
const batchSize = 512;
/** Time to retry while the database is unavailable. */
const maxRetryMs = 60_000;
const retryDelayMs = 100;

export type RowProcessing = {
  readonly rows: AsyncIterable<RawRow>;
  readonly toValues: (row: RawRow) => RowValues;
  readonly writer: RowWriter;
  readonly idOf: (row: number) => string;
  /** Rows to skip, because an interrupted run completed them. */
  readonly from: number;
  /** The counts of the skipped rows. */
  readonly counts: Counts;
  /** Whether this resumes an interrupted run. Its records then count as created, else as unchanged. */
  readonly isResumed: boolean;
  readonly isStopped: () => boolean;
  /** Returns an error message if the disk space is low, else undefined. */
  readonly shortage: () => string | undefined;
  /** How to resume after an error. */
  readonly resumeHint: string;
  onBatch(): void;
  onDropped(row: RawRow, messages: readonly string[]): void;
  onRejected(row: RawRow, errors: readonly string[]): void;
  /** Called after each batch with the number of completed rows. */
  onDone(rows: number, counts: Counts): void;
};

export type RowProcessingResult = {
  /** Completed rows. */
  readonly rows: number;
  readonly counts: Counts;
  /** Whether all rows are completed. */
  readonly isComplete: boolean;
  /** Rows whose records an earlier import of the same file created. */
  readonly alreadyCreated: number;
};

/** Processes the rows in batches, in order, until the end or until `isStopped`. */
export async function processRows(work: RowProcessing): Promise<RowProcessingResult> {
  let [seen, alreadyCreated, counts] = [0, 0, work.counts];
  let batch: RawRow[] = [];
  const finish = async (): Promise<void> => {
    const outcomes = await processBatch(work, batch, seen - batch.length + 1);
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.status !== "rejected" && outcome.dropped) work.onDropped(batch[index] as RawRow, outcome.dropped);
      if (outcome.status === "rejected") work.onRejected(batch[index] as RawRow, outcome.errors);
    }
    alreadyCreated += outcomes.filter(({ status }) => status === "already created").length;
    counts = addCounts(counts, outcomes, work.isResumed ? "created" : "unchanged");
    batch = [];
    work.onDone(seen, counts);
  };
  let isComplete = true;
  const onStop = (): void => {
    isComplete = false;
  };
  for await (const row of untilStopped(work.rows, onStop)) {
    seen += 1;
    if (seen <= work.from) continue;
    batch.push(row);
    if (batch.length < batchSize) continue;
    await finish();
    if (work.isStopped()) return { rows: seen, counts, alreadyCreated, isComplete: false };
  }
  if (batch.length > 0) await finish();
  return { rows: seen, counts, alreadyCreated, isComplete };
}

/** Ends the rows when a stream is stopped. */
async function* untilStopped(rows: AsyncIterable<RawRow>, onStop: () => void): AsyncGenerator<RawRow> {
  try {
    yield* rows;
  } catch (error) {
    if (!(error instanceof InputStopped)) throw error;
    onStop();
  }
}

/** Waits for all rows even if one fails, so that the database can be closed afterwards. */
async function processBatch(
  work: RowProcessing,
  batch: readonly RawRow[],
  first: number,
): Promise<readonly RowOutcome[]> {
  work.onBatch();
  const pendingByKey = new Map<string, Promise<unknown>>();
  const settled = await Promise.allSettled(
    batch.map((row, index) => {
      const values = work.toValues(row);
      const keys = work.writer.uniqueKeys(values);
      const earlier = keys.flatMap((key) => pendingByKey.get(key) ?? []);
      const write = (): Promise<RowOutcome> =>
        retryWhileUnavailable(work, () => work.writer.write(values, work.idOf(first + index)));
      const outcome = earlier.length === 0 ? write() : Promise.allSettled(earlier).then(write);
      for (const key of keys) pendingByKey.set(key, outcome);
      return outcome;
    }),
  );
  return settled.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}

/** Retries an action while the database is unavailable. @throws Failure after `maxRetryMs` */
async function retryWhileUnavailable<T>(
  { isStopped, shortage, resumeHint }: RowProcessing,
  action: () => Promise<T>,
): Promise<T> {
  const since = performance.now();
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 503) throw error;
      const message = shortage();
      // Waiting doesn't free disk space.
      if (message !== undefined) throw new Failure(`${message} ${resumeHint}`);
      if (isStopped() || performance.now() - since > maxRetryMs) {
        throw new Failure(`Cannot write to the database: it is locked, or the disk is full. ${resumeHint}`);
      }
      await wait(retryDelayMs);
    }
  }
}

function addCounts(before: Counts, outcomes: readonly RowOutcome[], alreadyCreated: "created" | "unchanged"): Counts {
  const counts = { ...before };
  for (const { status } of outcomes) counts[status === "already created" ? alreadyCreated : status] += 1;
  return counts;
}
