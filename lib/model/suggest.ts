/** How far apart two words may be before a hint would puzzle more than help, as a share of the longer one. */
const distanceShareMax = 0.4;
/** Longer words than any name we have are not compared: the work grows with the square of the length. */
const wordLengthMax = 40;
/** No longer one is near to a word of that length. */
const candidateLengthMax = Math.floor(wordLengthMax / (1 - distanceShareMax)) + 1;
/** Nor more of them: with thousands of options, one request that is all wrong would keep the others waiting for seconds. */
const candidatesMax = 200;
/** The maximum work per word: pairs of characters that are compared. Long words are compared with fewer candidates. */
const maxCells = 50_000;

/** The maximum number of suggestions per response. A response has room for about as many of the errors that carry one. */
export const maxSuggestions = 20;

/** The candidate that was most likely meant, or undefined where none is near. Case does not count. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > wordLengthMax) return undefined;
  const plain = normal(word);
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  let cells = 0;
  for (const candidate of candidates.slice(0, candidatesMax)) {
    if (candidate.length > candidateLengthMax) continue;
    const other = normal(candidate);
    const most = Math.min(bestDistance - 1, Math.max(word.length, candidate.length) * distanceShareMax);
    // No two words are nearer to each other than their lengths are.
    if (Math.abs(other.length - plain.length) > most) continue;
    cells += plain.length * other.length;
    if (cells > maxCells) break;
    const distance = editDistance(plain, other);
    if (distance <= most) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** ` Did you mean "x"?` with its leading blank, or nothing. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const meant = closest(word, candidates);
  return meant === undefined ? "" : ` Did you mean "${meant}"?`;
}

/** The caller's value as a message may repeat it: quoted, at most 60 characters, nothing that moves a cursor. */
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

function normal(word: string): string {
  return word.toLowerCase().replace(/[_-]/g, "");
}

/** Rows of a table of distances: the last three are all that is needed of it. */
let [before, above, row] = [0, 1, 2].map(() => new Uint8Array(candidateLengthMax + 1)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];

/** Levenshtein's distance, with a swap of neighbours counted once. */
function editDistance(a: string, b: string): number {
  for (let j = 0; j <= b.length; j++) above[j] = j;
  for (let i = 1; i <= a.length; i++) {
    const sign = a.charCodeAt(i - 1);
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const other = b.charCodeAt(j - 1);
      const [over, left, across] = [above[j] as number, row[j - 1] as number, above[j - 1] as number];
      const swap = i > 1 && j > 1 && sign === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other;
      const plain = Math.min(over + 1, left + 1, across + (sign === other ? 0 : 1));
      row[j] = swap ? Math.min(plain, (before[j - 2] as number) + 1) : plain;
    }
    [before, above, row] = [above, row, before];
  }
  return above[b.length] as number;
}
