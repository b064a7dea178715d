import { isMet, type Row, rounded } from "./results.ts";

const lineHeight = 26;
/** An estimate that is too large for most names. */
const characterWidth = 7;
/** The space for a figure and its goal. */
const figureWidth = 200;
const maxBarLength = 330;
const green = "#2e7d32";
const red = "#c62828";

/** Draws the rows with goals as bars: the share of the goal that each reached, with a line at the goal. */
export function picture(rows: readonly Row[], caption: string): string {
  const shown = rows.filter(({ goal, reached }) => goal !== undefined && Number.isFinite(reached));
  const height = 64 + shown.length * lineHeight;
  const left = 20 + characterWidth * Math.max(0, ...shown.map(({ name }) => name.length));
  const width = left + maxBarLength + figureWidth;
  const bars = shown.map((row, index) => bar(row, left, 56 + index * lineHeight));
  // A bar can be up to twice as long as its goal, so the line is in the middle.
  const line = left + maxBarLength / 2;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13">`,
    `<title>${escaped(caption)}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="12" y="22" font-size="14" fill="#222222">${escaped(caption)}</text>`,
    `<text x="${line}" y="42" fill="#555555" text-anchor="middle">goal</text>`,
    ...bars,
    `<line x1="${line}" x2="${line}" y1="46" y2="${height - 10}" stroke="#555555" stroke-dasharray="3 3"/>`,
    "</svg>",
    "",
  ].join("\n");
}

function bar(row: Row, left: number, y: number): string {
  const { name, reached, unit } = row;
  const length = Math.max(2, Math.min(1, share(row) / 2) * maxBarLength);
  const goal = row.goal === undefined ? "" : "atLeast" in row.goal ? `≥ ${row.goal.atLeast}` : `≤ ${row.goal.atMost}`;
  return [
    `<text x="${left - 10}" y="${y + 13}" fill="#222222" text-anchor="end">${escaped(name.replaceAll("`", ""))}</text>`,
    `<rect x="${left}" y="${y}" width="${length.toFixed(1)}" height="18" fill="${isMet(row) ? green : red}"/>`,
    `<text x="${left + maxBarLength + 8}" y="${y + 13}" fill="#222222">${escaped(`${rounded(reached)} ${unit} (${goal})`)}</text>`,
  ].join("");
}

/** Returns 1 if the goal is exactly met, more if it is exceeded. */
function share({ goal, reached }: Row): number {
  if (goal === undefined) return 1;
  return "atLeast" in goal ? reached / goal.atLeast : goal.atMost / Math.max(reached, 1e-9);
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
