/** How far apart two names may be before a hint would puzzle more than help, as a share of the longer one. */
const distanceShareMax = 0.4;
const lengthMax = 60;
/** A head can have half a million columns. */
const candidatesMax = 1_000;

/** A column's name as it is compared: case, blanks, - and _ do not count. */
export function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, "");
}

/** ` (did you mean "x"?)` with its leading blank, or nothing. */
export function suggestName(name: string, candidates: readonly string[]): string {
  const asked = plain(name).slice(0, lengthMax);
  const near = candidates
    .slice(0, candidatesMax)
    .map((candidate) => {
      // `address.city` is meant by "citty", too.
      const parts = [candidate, candidate.slice(candidate.indexOf(".") + 1)].map(plain);
      const shares = parts.map((part) => shareOf(asked, part));
      return { candidate, share: Math.min(...shares) };
    })
    .toSorted((a, b) => a.share - b.share)[0];
  return near === undefined || near.share > distanceShareMax ? "" : ` (did you mean "${near.candidate}"?)`;
}

/** The distance as a share of the longer word. Words whose lengths differ too much aren't compared. */
function shareOf(asked: string, part: string): number {
  const longer = Math.max(asked.length, part.length, 1);
  if (Math.abs(asked.length - part.length) > longer * distanceShareMax) return 1;
  return distance(asked, part) / longer;
}

/** How many letters have to be put in, taken out or exchanged. */
function distance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const exchange = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, exchange));
    }
    above = row;
  }
  return above[b.length] ?? 0;
}
