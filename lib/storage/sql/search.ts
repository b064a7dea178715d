import { type SearchedKind, searchedKinds, searchWords } from "../../model/search-words.ts";
import type { SearchHit, SearchQuery, Write } from "../storage.ts";

/**
 * Returns terms of the search index: tenant, kind and word. All terms of a tenant and kind are neighbors in the index, so
 * a search neither reads nor returns entries of another tenant.
 */
function toTerms(tenant: string, kind: SearchedKind, words: readonly string[]): readonly string[] {
  const prefix = `${tenant.replaceAll("-", "")}${kind[0]}`;
  return words.map((word) => prefix + word);
}

/** The fields of a record that decide how a search finds it. */
export type SearchedValues = Readonly<Record<string, unknown>> & { readonly archivedAt: number | null };

/** Returns the terms of a record: none if it is archived. */
export function searchTerms(tenant: string, kind: SearchedKind, record: SearchedValues): readonly string[] {
  return record.archivedAt === null ? toTerms(tenant, kind, searchWords(record)) : [];
}

/** The search entry of a record after a write. It has no terms if the record is archived. */
export type SearchEntry = { readonly kind: SearchedKind; readonly terms: readonly string[] };

/** Returns undefined if a search doesn't find records of the kind. */
export function searchEntryOf(
  tenant: string,
  { kind, record }: Pick<Write, "kind" | "record">,
): SearchEntry | undefined {
  if (!isSearched(kind)) return undefined;
  return { kind, terms: searchTerms(tenant, kind, record as unknown as SearchedValues) };
}

export function isSearched(kind: string): kind is SearchedKind {
  return (searchedKinds as readonly string[]).includes(kind);
}

/**
 * Returns an expression that every word matches within one kind. Terms consist of letters and digits, so the quotes
 * need no escapes.
 * @param prefix the operator after a term that matches by prefix. Without it, terms match whole words.
 */
export function matchExpression(
  tenant: string,
  { words, kinds }: Pick<SearchQuery, "words" | "kinds">,
  operators: { readonly quote: string; readonly and: string; readonly or: string; readonly prefix?: string },
): string {
  const { quote, and, or, prefix = "" } = operators;
  const ofKind = (kind: SearchedKind): string =>
    toTerms(tenant, kind, words)
      .map((term) => `${quote}${term}${quote}${prefix}`)
      .join(and);
  return kinds.map((kind) => `(${ofKind(kind)})`).join(or);
}

/** The most matches that a search sorts. If more records match, it sorts those that were created last. */
export const maxSortedMatches = 5_000;

/** Returns the hits on whole words, then the others, without duplicates. */
export function mergeHits(
  whole: readonly SearchHit[],
  byPrefix: readonly SearchHit[],
  limit: number,
): readonly SearchHit[] {
  const hits = new Map([...whole, ...byPrefix].map((hit) => [`${hit.kind} ${hit.id}`, hit]));
  return [...hits.values()].slice(0, limit);
}
