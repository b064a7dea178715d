import type { Kind } from "../model/kinds.ts";
import type { SearchedKind } from "../model/search-words.ts";
import type { Sort } from "./sort.ts";

/** A position in a list. Lists are sorted by `updatedAt`, then `id`, unless they have another order. */
export type Position = { readonly updatedAt: number; readonly id: string };

/** Filters with a list of values, and the field that must have one of them. */
export const listFilters: Readonly<Record<string, string>> = {
  ids: "id",
  names: "name",
  emails: "email",
  externalIds: "externalId",
};

/** Returns the filter with a list of values that several records can share. Its matches are sorted. */
export function keysFilterOf({ where = {} }: Pick<Query, "where">): string | undefined {
  return Object.keys(where).find((field) => field !== "ids" && Object.hasOwn(listFilters, field));
}

export type Query = {
  /**
   * Values that fields must be equal to. Unique fields are compared after normalization. To filter a list of IDs, use
   * the singular: `contactId` must be one of the `contactIds`. For a filter of `listFilters`, the field must have one
   * of the values. `phone` compares digits: see `matchesPhone`. Events have no filters.
   */
  readonly where?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  /** Words that must all be the start of a word of the record, as in `search`. Archived records have no words. */
  readonly words?: readonly string[];
  /** Only records after this position. */
  readonly after?: Position;
  /** Only records updated at or after this time. */
  readonly updatedSince?: number;
  /** Another order, with its own position. `after` is then absent. */
  readonly sort?: Sort;
  /** Maximum number of records. Defaults to all. */
  readonly limit?: number;
  /** Whether to include archived records. */
  readonly includeArchived?: boolean;
  /**
   * Only for `listJson`: the list may end after the record that makes its JSON exceed this number of bytes, but not
   * before the second record. A storage may ignore it.
   */
  readonly maxBytes?: number;
};

/** The words and kinds of a search. */
export type SearchQuery = {
  /** Words that must all match, at least one. See `queryWords`. */
  readonly words: readonly string[];
  /** The kinds to search, at least one. */
  readonly kinds: readonly SearchedKind[];
  readonly limit: number;
};

/** The open opportunities of a stage with the same currency, or without one. `amount` is 0 if none has an amount. */
export type OpenTotal = {
  readonly pipelineId: string;
  readonly stageId: string;
  readonly currency: string | null;
  readonly count: number;
  readonly amount: number;
};

/** A filter of `list` that found no record. */
export type NoMatch = { readonly kind: Kind; readonly where: NonNullable<Query["where"]> };

/** The number of records of a list. With `isMinimum`, there can be more. */
export type RecordCount = { readonly count: number; readonly isMinimum: boolean };

/** A record that a search found. */
export type SearchHit = { readonly kind: SearchedKind; readonly id: string };
