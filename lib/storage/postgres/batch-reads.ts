import { setImmediate as nextTurn } from "node:timers/promises";

/** A call of `readAll` at the end of this turn of the event loop. */
type Batch<T, R> = { readonly wanted: T[]; readonly found: Promise<ReadonlyMap<string, R>> };

/**
 * Returns a function that reads one value. The reads of a turn of the event loop share a call of `readAll`.
 * @param nameOf returns the name of what is wanted, by which `readAll` returns what it found
 */
export function batchReads<T, R>(
  nameOf: (wanted: T) => string,
  readAll: (wanted: readonly T[]) => Promise<ReadonlyMap<string, R>>,
): (wanted: T) => Promise<R | undefined> {
  let batch: Batch<T, R> | undefined;

  const readBatch = async (wanted: readonly T[]): Promise<ReadonlyMap<string, R>> => {
    await nextTurn();
    batch = undefined;
    return readAll(wanted);
  };

  return async (each) => {
    if (batch === undefined) {
      const wanted: T[] = [];
      batch = { wanted, found: readBatch(wanted) };
    }
    batch.wanted.push(each);
    return (await batch.found).get(nameOf(each));
  };
}
