/** Maximum edit distance of a suggestion, as a share of the longer word. */
const maxDistanceShare = 0.4;
/** Longer words get no suggestion, because the work grows with the square of the length. */
const maxWordLength = 40;
/** A longer candidate is too far from every word. */
const maxCandidateLength = Math.floor(maxWordLength / (1 - maxDistanceShare)) + 1;
/** Maximum number of candidates per word. Comparing thousands of options would block other requests for seconds. */
const maxCandidates = 200;
/** Maximum work per word, in compared pairs of characters. Long words are compared with fewer candidates. */
const maxCells = 50_000;

/** The maximum number of suggestions per response. About as many errors with a suggestion fit into a response. */
export const maxSuggestions = 20;

/**
 * Returns the candidate with the smallest edit distance. Undefined if none is close. Case is ignored. `maxShare` is the
 * maximum distance as a share of the longer word, at most 0.4.
 */
export function closest(word: string, candidates: readonly string[], maxShare = maxDistanceShare): string | undefined {
  if (word.length > maxWordLength) return undefined;
  const normalized = normalize(word);
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  let cells = 0;
  for (const candidate of candidates.slice(0, maxCandidates)) {
    if (candidate.length > maxCandidateLength) continue;
    const other = normalize(candidate);
    const maxDistance = Math.min(bestDistance - 1, Math.max(word.length, candidate.length) * maxShare);
    // The edit distance is at least the difference of the lengths.
    if (Math.abs(other.length - normalized.length) > maxDistance) continue;
    cells += normalized.length * other.length;
    if (cells > maxCells) break;
    const distance = editDistance(normalized, other);
    if (distance <= maxDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Returns ` Did you mean "x"?` with a leading space, or an empty string. */
export function didYouMean(suggestion: string | undefined): string {
  return suggestion === undefined ? "" : ` Did you mean "${suggestion}"?`;
}

/** Returns the members of a field error with this suggestion, which ends the message. */
export function withSuggestion(
  message: string,
  suggestion: string | undefined,
): { readonly message: string; readonly suggestion?: string } {
  return suggestion === undefined ? { message } : { message: message + didYouMean(suggestion), suggestion };
}

/** Quotes a value for a message: at most 60 characters, without control characters. */
export function quote(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  const points = Array.from(
    text
      .slice(0, 200)
      .toWellFormed()
      .replace(/[\p{C}]/gu, "?"),
  );
  return `"${points.length > 60 ? `${points.slice(0, 57).join("")}...` : points.join("")}"`;
}

function normalize(word: string): string {
  return word.toLowerCase().replace(/[_-]/g, "");
}

/** The last three rows of the distance matrix. They are reused, because only one word is compared at a time. */
let [secondLast, last, row] = [0, 1, 2].map(() => new Uint8Array(maxCandidateLength + 1)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];

/** Returns the Damerau-Levenshtein distance: a swap of adjacent characters counts as one edit. */
function editDistance(a: string, b: string): number {
  for (let j = 0; j <= b.length; j++) last[j] = j;
  for (let i = 1; i <= a.length; i++) {
    const left = a.charCodeAt(i - 1);
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const right = b.charCodeAt(j - 1);
      const [deletion, insertion, substitution] = [last[j] as number, row[j - 1] as number, last[j - 1] as number];
      const isSwap = i > 1 && j > 1 && left === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === right;
      const distance = Math.min(deletion + 1, insertion + 1, substitution + (left === right ? 0 : 1));
      row[j] = isSwap ? Math.min(distance, (secondLast[j - 2] as number) + 1) : distance;
    }
    [secondLast, last, row] = [last, row, secondLast];
  }
  return last[b.length] as number;
}
