import { normalizeEmail, normalizeName } from "../model/normalize.ts";
import type { RawRow } from "./raw-row.ts";
import type { RowValues } from "./row-values.ts";

/** A row with its values. */
export type ParsedRow = {
  readonly row: RawRow;
  /** Position in the file, from 1. */
  readonly number: number;
  readonly values: RowValues;
};

/**
 * Splits the rows into batches of at most `maxRows`, in order. The same rows give the same batches. Rows with the same
 * value of `upsertBy` are in different batches, because one batch can write a record only once.
 */
export async function* batchRows(
  rows: AsyncIterable<ParsedRow>,
  maxRows: number,
  upsertBy: string | undefined,
): AsyncGenerator<readonly ParsedRow[]> {
  let batch: ParsedRow[] = [];
  let keys = new Set<string>();
  for await (const row of rows) {
    const key = upsertBy === undefined ? undefined : comparisonKey(row.values, upsertBy);
    if (key !== undefined && keys.has(key)) {
      yield batch;
      [batch, keys] = [[], new Set()];
    }
    batch.push(row);
    if (key !== undefined) keys.add(key);
    if (batch.length < maxRows) continue;
    // Don't wait for the next row: a pipe can take long.
    yield batch;
    [batch, keys] = [[], new Set()];
  }
  if (batch.length > 0) yield batch;
}

/** Returns the text by which the API compares the value of a field. Undefined if the row has none. */
export function comparisonKey({ pairs }: RowValues, field: string): string | undefined {
  const value = pairs.find(({ target }) => target.name === field)?.value;
  if (typeof value !== "string" || value.trim() === "") return undefined;
  return field === "email" ? normalizeEmail(value) : normalizeName(value);
}
