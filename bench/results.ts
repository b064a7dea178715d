import { type Loaded, median } from "./load.ts";

/** What was asked for, and what was reached. */
export type Row = {
  readonly question: string;
  readonly name: string;
  readonly reached: number;
  readonly unit: string;
  /** The least or the most that will do; none where only the figure is of interest. */
  readonly goal?: { readonly atLeast: number } | { readonly atMost: number };
  /** The lowest and the highest of the rounds. */
  readonly spread?: readonly [number, number];
  /** The same by what the servers spent of their processor: that hardly depends on what else the machine does. */
  readonly byProcessor?: number;
  /** What stands behind the figure. */
  readonly note?: string;
  /** Where the time goes: told where the goal is missed. */
  readonly why?: string;
};

/** How much of another's throughput one reaches, round by round. */
export function ratioRow(
  head: Pick<Row, "question" | "name" | "goal" | "note" | "why">,
  ours: readonly Loaded[] = [],
  theirs: readonly Loaded[] = [],
): Row {
  const each = ours.map(({ perSecond }, round) => perSecond / (theirs[round]?.perSecond ?? Number.NaN));
  const spent = (all: readonly Loaded[]): number => median(all.map(({ cpuMicroseconds }) => cpuMicroseconds));
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

/** Three digits that count. */
export function rounded(value: number): string {
  if (!Number.isFinite(value)) return "–";
  return value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));
}

/** The rows as a table in Markdown, under a heading per question. */
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
