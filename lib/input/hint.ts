/** How far apart two words may be before a hint would puzzle more than help, as a share of the longer one. */
const distanceShareMax = 0.4;
/** Longer words than any name we have are not compared: the work grows with the square of the length. */
const wordLengthMax = 40;

/** An answer names few problems of many, and to look for what was meant takes longer than all the rest. */
export const hintsMax = 50;

/** The candidate that was most likely meant, or undefined where none is near. Case does not count. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > wordLengthMax) return undefined;
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const distance = editDistance(normal(word), normal(candidate));
    const near = distance <= Math.max(word.length, candidate.length) * distanceShareMax;
    if (near && distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** ` Did you mean "x"?` with its leading blank, or nothing. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const meant = nearest(word, candidates);
  return meant === undefined ? "" : ` Did you mean "${meant}"?`;
}

/** The caller's value as a message may repeat it: quoted, at most 60 characters, nothing that moves a cursor. */
export function shown(value: unknown): string {
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

/** Levenshtein's distance, with a swap of neighbours counted once. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const plain = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + cost);
      row.push(swap ? Math.min(plain, (before[j - 2] ?? 0) + 1) : plain);
    }
    before = above;
    above = row;
  }
  return above[b.length] ?? 0;
}
