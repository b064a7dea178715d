/** Maximum edit distance of a suggestion, relative to the longer name. */
const maxDistanceRatio = 0.4;
const maxLength = 60;
/** A header can have half a million columns. */
const maxCandidates = 1_000;

/** Normalizes a name for comparison: ignores case, whitespace, `-` and `_`. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, "");
}

/** Returns ` (did you mean "x"?)` with a leading space, or an empty string. */
export function suggestName(name: string, candidates: readonly string[]): string {
  const normalized = normalizeName(name).slice(0, maxLength);
  const nearest = candidates
    .slice(0, maxCandidates)
    .map((candidate) => {
      // "citty" also matches `address.city`.
      const parts = [candidate, candidate.slice(candidate.indexOf(".") + 1)].map(normalizeName);
      const ratios = parts.map((part) => distanceRatio(normalized, part));
      return { candidate, ratio: Math.min(...ratios) };
    })
    .toSorted((a, b) => a.ratio - b.ratio)[0];
  return nearest === undefined || nearest.ratio > maxDistanceRatio ? "" : ` (did you mean "${nearest.candidate}"?)`;
}

/** Returns the edit distance relative to the longer name, or 1 if the lengths differ too much. */
function distanceRatio(normalized: string, part: string): number {
  const longer = Math.max(normalized.length, part.length, 1);
  if (Math.abs(normalized.length - part.length) > longer * maxDistanceRatio) return 1;
  return distance(normalized, part) / longer;
}

/** Returns the Levenshtein distance. */
function distance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, substitution));
    }
    above = row;
  }
  return above[b.length] ?? 0;
}
