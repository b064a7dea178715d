import { entityModels } from "../model/entities.ts";
import type { Kind } from "../model/kinds.ts";

/** The fields that a list can be sorted by. Only some kinds have a `name`, a `dueDate` or an `occurredAt`. */
export type SortField = "updatedAt" | "createdAt" | "name" | "dueDate" | "occurredAt";

/** A position in a sorted list: the sort key and the ID of a record. */
export type SortPosition = { readonly key: string | number; readonly id: string };

/** An order: by the sort key of a field, then by `id`. */
export type Sort = {
  readonly by: SortField;
  /** Whether both the keys and the IDs decrease. */
  readonly descending: boolean;
  /** Only records after this position. */
  readonly after?: SortPosition;
};

/** The most records that a list with filters or words sorts in another order. */
export const maxSortedRecords = 5_000;

/** Returns whether lists of a kind have an index by `createdAt`. Records of the set-up are few and have none. */
export function hasCreationIndex(kind: Kind): boolean {
  return Object.hasOwn(entityModels, kind);
}

/** The sort key of a task without a due date. It is later than any date. */
export const noDueDate = 9_000_000_000_000_000;

/** The number of characters of a name that lists are sorted by. It bounds the length of a cursor. */
export const maxSortedCharacters = 64;

/**
 * Returns the sort key of a value: a time in milliseconds, or the start of a name in which A to Z are lower case. Names
 * are compared by code point, see `compareKeys`.
 */
export function sortKey(by: SortField, value: unknown): string | number {
  if (by === "dueDate") return value === null ? noDueDate : Number(value);
  if (by !== "name") return Number(value);
  const start = [...String(value)].slice(0, maxSortedCharacters).join("");
  return start.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

type Sorted = { readonly id: string } & Readonly<Partial<Record<SortField, unknown>>>;

/** Compares two records in an order. */
export function compareSorted({ by, descending }: Sort, a: Sorted, b: Sorted): number {
  const difference = compareKeys(sortKey(by, a[by]), sortKey(by, b[by])) || compareKeys(a.id, b.id);
  return descending ? -difference : difference;
}

/** Returns whether a record comes after the position of the order. */
export function isAfter({ by, descending, after }: Sort, record: Sorted): boolean {
  if (after === undefined) return true;
  const difference = compareKeys(sortKey(by, record[by]), after.key) || compareKeys(record.id, after.id);
  return descending ? difference < 0 : difference > 0;
}

/** UTF-8 has the order of code points. UTF-16, and so the operator <, doesn't. */
function compareKeys(a: string | number, b: string | number): number {
  if (typeof a === "number") return a - Number(b);
  return Buffer.compare(Buffer.from(a), Buffer.from(String(b)));
}
