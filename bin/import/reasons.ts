import type { ProblemGroup, ProblemGroups } from "#lib/transfer";

/** Reasons that are printed. */
const maxPrinted = 20;
const maxValueLength = 60;

/** Returns the lines that print the reasons for which rows are rejected, with examples. `noun` is what is counted. */
export function reasonLines(problems: ProblemGroups, title: string, noun: string): readonly string[] {
  const groups = problems.list();
  if (groups.length === 0) return [];
  const lines = groups
    .slice(0, maxPrinted)
    .flatMap(({ message, count, examples }) => [
      `${count} ${noun}${count === 1 ? "" : "s"}: ${message}`,
      ...examples.map(describeExample),
    ]);
  const more = Math.max(0, groups.length - maxPrinted) + problems.omitted;
  return [title, ...lines, ...(more === 0 ? [] : [`And ${more} more reasons.`])];
}

function describeExample({ error, problem: { row, values } }: ProblemGroup["examples"][number]): string {
  const { value, cell = value } = values.pairs.find(({ target }) => target.name === error.target) ?? {};
  const text = typeof cell === "object" ? JSON.stringify(cell) : String(cell ?? "");
  const shown = text === "" ? "" : `: "${text.slice(0, maxValueLength)}"`;
  return `  line ${row.line}${error.reason === undefined ? shown : `: ${error.message}`}`;
}
