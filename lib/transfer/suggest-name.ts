import { closest } from "../model/suggest.ts";

/** Maximum edit distance, as a share of the longer name. "Stadt" isn't a misspelled "state". */
const maxDistanceShare = 0.3;
/** A header can have half a million columns. */
const maxCandidates = 1_000;

/** Returns a column name for comparison: without whitespace, `-` and `_`, in lower case. */
export function columnKey(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, "");
}

/** Returns ` (did you mean "x"?)` with a leading space, or an empty string. */
export function suggestName(name: string, candidates: readonly string[]): string {
  // "citty" also matches `address.city`.
  const named = candidates.slice(0, maxCandidates).flatMap((candidate): [string, string][] => [
    [columnKey(candidate), candidate],
    [columnKey(candidate.slice(candidate.indexOf(".") + 1)), candidate],
  ]);
  const byKey = new Map(named.toReversed());
  const found = byKey.get(closest(columnKey(name), [...byKey.keys()].toReversed(), maxDistanceShare) ?? "");
  return found === undefined ? "" : ` (did you mean "${found}"?)`;
}
