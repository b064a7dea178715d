import { full } from "../size.ts";
import type { WatchedFile } from "./database-rows.ts";

/** Selects the texts of another tenant for an input. */
export type TextSelection = {
  /**
   * At full size all of these. In a short run, those of the same form as `own`, or of the column that the input is
   * named for, which are the likeliest to be mistaken for own ones, and some others in turn.
   */
  of(texts: readonly string[], input: { readonly name: string }, own: string | undefined): readonly string[];
};

const othersPerInput = 5;

/** Returns the texts of these tenants by column: `accounts.name`. */
export function textsByColumn(watched: WatchedFile, tenants: readonly string[]): ReadonlyMap<string, Set<string>> {
  const byColumn = new Map<string, Set<string>>();
  for (const table of watched.tables) {
    for (const row of tenants.flatMap((tenant) => watched.rows(table, tenant))) {
      for (const [column, text] of Object.entries(row)) {
        const name = `${table}.${column}`;
        if (typeof text === "string") byColumn.set(name, (byColumn.get(name) ?? new Set()).add(text));
      }
    }
  }
  return byColumn;
}

/** @param random determines the order of the other texts */
export function createTextSelection(
  all: readonly string[],
  byColumn: ReadonlyMap<string, ReadonlySet<string>>,
  random: () => number,
): TextSelection {
  const queue = all.map((text) => ({ text, at: random() })).sort((a, b) => a.at - b.at);
  const columns = [...byColumn];
  // If a text has several forms, the rarest one describes it best.
  const columnOf = (own: string): ReadonlySet<string> | undefined => {
    const known = columns.filter(([, texts]) => texts.has(own)).sort(([, a], [, b]) => a.size - b.size);
    return known[0]?.[1];
  };
  const namedFor = (input: string): ReadonlySet<string> => {
    const field = input.match(/[A-Za-z]+/g)?.at(-1) ?? "";
    const column = `.${field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
    return new Set(columns.flatMap(([name, texts]) => (name.endsWith(column) ? [...texts] : [])));
  };
  return {
    of(texts, { name }, own) {
      if (full) return texts;
      const similar = (own === undefined ? undefined : columnOf(own)) ?? namedFor(name);
      const selected = queue.filter(({ text }) => texts.includes(text)).slice(0, othersPerInput);
      for (const entry of selected) queue.push(...queue.splice(queue.indexOf(entry), 1));
      return [...new Set([...texts.filter((text) => similar.has(text)), ...selected.map(({ text }) => text)])];
    },
  };
}
