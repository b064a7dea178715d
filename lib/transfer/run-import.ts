import {
  type ImportCounts,
  type ImportOptions,
  type ImportProgress,
  importResults,
  type SendBatch,
} from "./import-types.ts";
import type { RawRow } from "./raw-row.ts";
import type { RecordFinder } from "./reference-resolver.ts";
import { batchRows, type ParsedRow } from "./row-batches.ts";
import { RowImporter } from "./row-importer.ts";
import type { RowValues } from "./row-values.ts";

export type ImportResult = {
  readonly rows: number;
  readonly counts: ImportCounts;
  /** Rows whose records an earlier import of the same file created. They count as unchanged. */
  readonly alreadyCreated: number;
  /** False if `signal` was aborted before the last row. */
  readonly isComplete: boolean;
};

/** The parameters of `runImport`. */
export type ImportTools = {
  /** Returns the values of a row. */
  readonly parse: (row: RawRow) => RowValues;
  readonly send: SendBatch;
  readonly find: RecordFinder;
  readonly options: ImportOptions;
  /** Called after each batch. */
  onProgress?(progress: ImportProgress): void;
  /** Stops the import after the running batches. */
  readonly signal?: AbortSignal;
};

/** The limit of a request. */
const maxOperations = 100;

/**
 * Creates or updates the records of rows by batches of the API, in the order of the rows.
 * @throws the errors of `send` and `find`, unless they are about the values of rows
 */
export async function runImport(
  rows: AsyncIterable<RawRow> | Iterable<RawRow>,
  { parse, send, find, options, onProgress, signal }: ImportTools,
): Promise<ImportResult> {
  const { start, batchSize = maxOperations, upsertBy, dryRun = false } = options;
  // A batch of updates depends on the one before if they have the same records, and a dry run remembers values.
  const isSequential = dryRun || upsertBy !== undefined;
  const importer = new RowImporter(send, find, options);
  const counts = { created: 0, updated: 0, unchanged: 0, rejected: 0, ...start?.counts };
  let [done, alreadyCreated] = [start?.rows ?? 0, 0];
  const result = (isComplete: boolean): ImportResult => ({ rows: done, counts, alreadyCreated, isComplete });
  const batches = batchRows(parsedRows(rows, done, parse), batchSize, upsertBy);
  // Parse the next rows during a request.
  let next = batches.next();
  let running: Promise<unknown> = Promise.resolve();
  // Settles when all batches so far are complete, in order.
  let completed: Promise<void> = Promise.resolve();
  try {
    for (;;) {
      // If a batch fails, don't wait for the next rows.
      const { value: batch, done: isEnd } = await Promise.race([next, completed.then(() => next)]);
      if (isEnd === true || signal?.aborted) {
        await completed;
        return result(isEnd === true);
      }
      next = batches.next();
      next.catch(() => {});
      const earlier = completed;
      const commitStart = Promise.withResolvers<void>();
      // The first of two rows with the same value must create the record.
      const beforeCommit = async () => {
        await earlier;
        commitStart.resolve();
      };
      const imported = importer.importBatch(batch, isSequential ? undefined : beforeCommit);
      imported.catch(() => {});
      running = imported;
      completed = earlier
        .then(() => imported)
        .then(({ counts: added, alreadyCreated: repeated, ...progress }) => {
          for (const result of importResults) counts[result] += added[result];
          alreadyCreated += repeated;
          done = batch.at(-1)?.number ?? done;
          onProgress?.({ rows: done, counts: { ...counts }, ...progress });
        });
      // The next batch is checked during the commit. At most two batches run at a time.
      await Promise.race([completed, commitStart.promise]);
    }
  } finally {
    // Wait for the running batches, because the caller closes the database.
    await Promise.allSettled([running, completed]);
  }
}

async function* parsedRows(
  rows: AsyncIterable<RawRow> | Iterable<RawRow>,
  completed: number,
  parse: (row: RawRow) => RowValues,
): AsyncGenerator<ParsedRow> {
  let number = 0;
  for await (const row of rows) {
    number += 1;
    if (number > completed) yield { row, number, values: parse(row) };
  }
}
