import type { Kind } from "./kinds.ts";
import { normalizeCase } from "./normalize.ts";

/** The kinds in the search index. */
export const searchedKinds = ["account", "contact", "opportunity", "task"] as const satisfies readonly Kind[];

export type SearchedKind = (typeof searchedKinds)[number];

/** The kinds that `GET /search` finds. Only the list of tasks searches tasks, with `q`. */
export const searchResultKinds = ["account", "contact", "opportunity"] as const satisfies readonly SearchedKind[];

/** The fields whose words a search compares. A kind may not have all of them. */
export const searchedFields = ["name", "title", "email", "phone", "document", "externalId"] as const;

/** Fields of numbers that people group in different ways. They also match without their separators. */
const groupedFields: ReadonlySet<string> = new Set(["phone", "document"]);

/** Longer words are cut, also in queries, so that they fit in an index. */
const maxWordLength = 64;

/** Returns the distinct words of a record. */
export function searchWords(record: Readonly<Record<string, unknown>>): readonly string[] {
  const words = new Set<string>();
  for (const field of searchedFields) {
    const value = record[field];
    if (typeof value !== "string") continue;
    const groups = splitWords(value);
    const hasGroups = groupedFields.has(field) && groups.length > 1;
    for (const [index, group] of groups.entries())
      words.add((hasGroups ? groups.slice(index).join("") : group).slice(0, maxWordLength));
  }
  return [...words];
}

/** Returns the distinct words of a query. */
export function queryWords(query: string): readonly string[] {
  return [...new Set(splitWords(query).map((word) => word.slice(0, maxWordLength)))];
}

/** Returns runs of letters and digits, without case and diacritics. */
function splitWords(text: string): readonly string[] {
  return foldText(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

function foldText(text: string): string {
  const folded = normalizeCase(text);
  if (isAscii.test(folded)) return folded;
  const bare = folded.normalize("NFKD").replace(/[\p{M}\p{Cf}]/gu, "");
  return bare.replace(/[øłđðæœı]/g, (letter) => basicLetters[letter] ?? letter);
}

const isAscii = /^\p{ASCII}*$/u;

/** Letters whose stroke or ligature Unicode doesn't decompose. */
const basicLetters: Readonly<Record<string, string>> = {
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  æ: "ae",
  œ: "oe",
  ı: "i",
};
