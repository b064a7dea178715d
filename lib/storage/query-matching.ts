import { type Kind, models } from "../model/kinds.ts";
import type { BaseRecord, Model } from "../model/model.ts";
import { matchesPhone, phoneKey } from "../model/normalize.ts";
import { searchWords } from "../model/search-words.ts";
import { listFilters } from "./query.ts";
import { compareSorted, isAfter } from "./sort.ts";
import type { Position, Query, RecordCount, Storage } from "./storage.ts";

/** A record with its fields as plain values. */
export type RecordValues = BaseRecord & Readonly<Record<string, unknown>>;

/** Counts the records of a list by reading them, as `count` of a storage. */
export async function countListed(
  storage: Pick<Storage, "list">,
  tenant: string,
  kind: Kind,
  { where = {}, words = [], updatedSince = -Infinity, includeArchived = false }: Query,
  max: number,
): Promise<RecordCount> {
  const { length } = await storage.list(tenant, kind, { where, words, updatedSince, includeArchived, limit: max + 1 });
  return { count: Math.min(length, max), isMinimum: length > max };
}

/** Returns whether a list with this query contains the record. */
export function matchesQuery(
  kind: Kind,
  record: RecordValues,
  { where = {}, words = [], after, updatedSince = -Infinity, sort, includeArchived }: Query,
): boolean {
  if ((after && comparePosition(record, after) <= 0) || record.updatedAt < updatedSince) return false;
  if (record.archivedAt !== null && (includeArchived !== true || words.length > 0)) return false;
  if (sort !== undefined && !isAfter(sort, record)) return false;
  if (words.length > 0 && matchWords(record, words) === undefined) return false;
  return Object.entries(where).every(([field, wanted]) => {
    if (isPhone(kind, field)) return matchesPhone(String(record[field] ?? ""), String(wanted));
    const compared = listFilters[field] ?? field;
    const keys = [wanted].flat().map((value) => normalizeValue(kind, compared, value));
    return filterValues(record, compared).some((value) => keys.includes(normalizeValue(kind, compared, value)));
  });
}

/** Returns the values of a record that a filter of a list compares. */
function filterValues(record: RecordValues, field: string): readonly unknown[] {
  if (field === "contactId") return [record.contactIds ?? []].flat();
  if (field === "relatedToId") return [(record.relatedTo as BaseRecord | null)?.id ?? []].flat();
  return [record[field] ?? []].flat();
}

/** Returns the text by which lists and unique fields compare a value. Of phone numbers, it's only a part of that. */
export function normalizeValue(kind: Kind, field: string, value: unknown): string {
  const normalize = isPhone(kind, field) ? phoneKey : (models[kind] as Model).fields[field]?.unique;
  return (normalize ?? String)(String(value));
}

function isPhone(kind: Kind, field: string): boolean {
  return (models[kind] as Model).fields[field]?.isPhone === true;
}

/** Compares the positions of two records in a list. */
export function comparePosition(a: Position, b: Position): number {
  return a.updatedAt - b.updatedAt || Number(a.id > b.id) - Number(a.id < b.id);
}

/** Compares two records in the order of a query. */
export function compareListed({ sort }: Query, a: RecordValues, b: RecordValues): number {
  return sort === undefined ? comparePosition(a, b) : compareSorted(sort, a, b);
}

/** Returns whether all words match a record as whole words, or by prefix. Undefined if a word doesn't match. */
export function matchWords(record: RecordValues, words: readonly string[]): "whole" | "prefix" | undefined {
  const ofRecord = searchWords(record);
  if (words.every((word) => ofRecord.includes(word))) return "whole";
  return words.every((word) => ofRecord.some((each) => each.startsWith(word))) ? "prefix" : undefined;
}
