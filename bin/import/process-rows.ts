import { setTimeout as wait } from "node:timers/promises";
import { ApiError } from "#lib";
import { Failure } from "../cli/errors.ts";
import type { Counts } from "./progress-file.ts";
import type { RowValues } from "./row-values.ts";
import type { Outcome, RowWriter } from "./row-writer.ts";
import type { RawRow } from "./rows.ts";
import { InputStopped } from "./source.ts";

/** Rows that are worked on at a time: as many as a few commits of the database take together. */
const batchSize = 512;
/** How long a database that others hold is asked again before the import stops. */
const patienceMs = 60_000;
const pauseMs = 100;

export type RowProcessing = {
  readonly rows: AsyncIterable<RawRow>;
  readonly draftOf: (row: RawRow) => RowValues;
  readonly writer: RowWriter;
  readonly idOf: (row: number) => string;
  /** Rows that are done already. */
  readonly from: number;
  /** What those became. */
  readonly counts: Counts;
  /** Whether this goes on with a run that was interrupted: what that one made counts as created, else as unchanged. */
  readonly isResumed: boolean;
  readonly isStopped: () => boolean;
  /** What is said where the disk has too little room for more; undefined while it has enough. */
  readonly shortage: () => string | undefined;
  /** How it is gone on with, once what was in the way is gone. */
  readonly resumeHint: string;
  onBatch(): void;
  onRejected(row: RawRow, errors: readonly string[]): void;
  /** All rows up to this one are done. */
  onDone(rows: number, counts: Counts): void;
};

export type RowProcessingResult = {
  /** How far it came. */
  readonly rows: number;
  readonly counts: Counts;
  /** Whether that is the end of the file. */
  readonly isWhole: boolean;
  /** Rows whose records an earlier run of the same file has made. */
  readonly madeBefore: number;
};

/** Takes the rows in batches, in their order, until all are done or it is stopped. */
export async function processRows(work: RowProcessing): Promise<RowProcessingResult> {
  let [seen, madeBefore, counts] = [0, 0, work.counts];
  let batch: RawRow[] = [];
  const finish = async (): Promise<void> => {
    const outcomes = await outcomesOf(work, batch, seen - batch.length + 1);
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.as === "rejected") work.onRejected(batch[index] as RawRow, outcome.errors);
    }
    madeBefore += outcomes.filter(({ as }) => as === "made before").length;
    counts = counted(counts, outcomes, work.isResumed ? "created" : "unchanged");
    batch = [];
    work.onDone(seen, counts);
  };
  let isWhole = true;
  const onStop = (): void => {
    isWhole = false;
  };
  for await (const row of untilStopped(work.rows, onStop)) {
    seen += 1;
    if (seen <= work.from) continue;
    batch.push(row);
    if (batch.length < batchSize) continue;
    await finish();
    if (work.isStopped()) return { rows: seen, counts, madeBefore, isWhole: false };
  }
  if (batch.length > 0) await finish();
  return { rows: seen, counts, madeBefore, isWhole };
}

/** The rows, up to where a stream of them was stopped. */
async function* untilStopped(rows: AsyncIterable<RawRow>, onStop: () => void): AsyncGenerator<RawRow> {
  try {
    yield* rows;
  } catch (error) {
    if (!(error instanceof InputStopped)) throw error;
    onStop();
  }
}

/** Waits for all rows, also where one has failed: nothing may be under way when the database is closed. */
async function outcomesOf(work: RowProcessing, batch: readonly RawRow[], first: number): Promise<readonly Outcome[]> {
  work.onBatch();
  const claimed = new Map<string, Promise<unknown>>();
  const settled = await Promise.allSettled(
    batch.map((row, index) => {
      const draft = work.draftOf(row);
      const claims = work.writer.claims(draft);
      const earlier = claims.flatMap((claim) => claimed.get(claim) ?? []);
      const write = (): Promise<Outcome> => patiently(work, () => work.writer.write(draft, work.idOf(first + index)));
      const outcome = earlier.length === 0 ? write() : Promise.allSettled(earlier).then(write);
      for (const claim of claims) claimed.set(claim, outcome);
      return outcome;
    }),
  );
  return settled.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}

/** Again and again while the database is held by others. @throws Failure once that has lasted too long */
async function patiently<T>({ isStopped, shortage, resumeHint }: RowProcessing, act: () => Promise<T>): Promise<T> {
  const since = performance.now();
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 503) throw error;
      const short = shortage();
      // Room does not come by itself.
      if (short !== undefined) throw new Failure(`${short} ${resumeHint}`);
      if (isStopped() || performance.now() - since > patienceMs) {
        throw new Failure(`The database could not be written: others hold it, or its disk is full. ${resumeHint}`);
      }
      await wait(pauseMs);
    }
  }
}

function counted(before: Counts, outcomes: readonly Outcome[], madeBefore: "created" | "unchanged"): Counts {
  const counts = { ...before };
  for (const { as } of outcomes) counts[as === "made before" ? madeBefore : as] += 1;
  return counts;
}
