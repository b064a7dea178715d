import { type LoadResult, median } from "./load.ts";

/** A result with its goal. */
export type Row = {
  readonly question: string;
  readonly name: string;
  readonly reached: number;
  readonly unit: string;
  /** The minimum or maximum. Undefined if there is no goal. */
  readonly goal?: { readonly atLeast: number } | { readonly atMost: number };
  /** The lowest and the highest value of the rounds. */
  readonly spread?: readonly [number, number];
  /** The same ratio by CPU time of the servers, which hardly depends on the load of the machine. */
  readonly byProcessor?: number;
  /** Details of the figure. */
  readonly note?: string;
  /** Where the time is spent. Shown if the goal is missed. */
  readonly why?: string;
};

/** Returns the ratio of the throughput of two servers per round. */
export function ratioRow(
  head: Pick<Row, "question" | "name" | "goal" | "note" | "why">,
  ours: readonly LoadResult[] = [],
  theirs: readonly LoadResult[] = [],
): Row {
  const each = ours.map(({ perSecond }, round) => perSecond / (theirs[round]?.perSecond ?? Number.NaN));
  const spent = (all: readonly LoadResult[]): number => median(all.map(({ cpuMicroseconds }) => cpuMicroseconds));
  const figures = `${rounded(median(ours.map((one) => one.perSecond)))} and ${rounded(median(theirs.map((one) => one.perSecond)))} a second`;
  return {
    ...head,
    reached: median(each),
    unit: "×",
    spread: [Math.min(...each), Math.max(...each)],
    byProcessor: spent(theirs) / spent(ours),
    note: [figures, head.note].filter(Boolean).join("; "),
  };
}

export function isMet({ goal, reached }: Row): boolean | undefined {
  if (goal === undefined) return undefined;
  return "atLeast" in goal ? reached >= goal.atLeast : reached <= goal.atMost;
}

/** Formats a number with three significant digits. */
export function rounded(value: number): string {
  if (!Number.isFinite(value)) return "–";
  return value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));
}

/** Returns the rows as Markdown tables, with a heading per question. */
export function tables(rows: readonly Row[]): string {
  const questions = [...new Set(rows.map(({ question }) => question))];
  return questions
    .map((question) => {
      const lines = rows.filter((row) => row.question === question).map(line);
      const head = ["| | Goal | Reached | Spread | By processor time | |", "| --- | --- | --- | --- | --- | --- |"];
      return [`## ${question}`, "", ...head, ...lines].join("\n");
    })
    .join("\n\n");
}

function line(row: Row): string {
  const { name, goal, reached, unit, spread, byProcessor, note = "" } = row;
  const wanted = goal === undefined ? "" : "atLeast" in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
  const met = isMet(row);
  const value = `${rounded(reached)} ${unit}`;
  const shown = met === undefined ? value : `${met ? "✓" : "✗"} **${value}**`;
  const range = spread === undefined ? "" : `${rounded(spread[0])} – ${rounded(spread[1])}`;
  const processor = byProcessor === undefined ? "" : `${rounded(byProcessor)} ×`;
  return `| ${name} | ${wanted} | ${shown} | ${range} | ${processor} | ${note} |`;
}
