import * as v from "valibot";
import { ApiError, type ErrorCode, type FieldError, validationError } from "../model/errors.ts";
import type { Kind } from "../model/kinds.ts";
import type { Model } from "../model/model.ts";
import { jsonSchema } from "../model/scalars.ts";
import { keysFilterOf, type Query } from "../storage/query.ts";
import { hasCreationIndex, maxSortedRecords, type Sort, type SortField, sortKey } from "../storage/sort.ts";
import { SearchOff, TooManyMatches } from "../storage/storage.ts";
import { type CursorPosition, filterError, mismatch } from "./cursor.ts";

/** The order of lists without the parameter, and of syncs. */
const defaultOrder = "updatedAt";

/** The fields that only lists of kinds with them are sorted by. */
const ownFields = ["name", "dueDate", "occurredAt"] as const;

const descriptions: Partial<Readonly<Record<SortField, string>>> = {
  name: " Names compare by code point, without the case of A to Z; only the first 64 characters count.",
  dueDate: " Tasks without a due date come last in `dueDate` and first in `-dueDate`.",
};

/** Returns the schema of the parameter `order` of a list. */
export function orderParameter({ fields: all }: Model<Kind>) {
  const fields: SortField[] = ["updatedAt", "createdAt", ...ownFields.filter((field) => all[field] !== undefined)];
  const orders = fields.flatMap((field) => [field, `-${field}`]);
  const notes = fields.map((field) => descriptions[field] ?? "").join("");
  return v.pipe(
    v.picklist(orders, `must be one of ${orders.join(", ")}`),
    jsonSchema({
      default: defaultOrder,
      description: `Order of the list, then by \`id\`. \`-\` reverses it.${notes} Only \`updatedAt\` is for syncs. Keep it unchanged between pages.`,
    }),
  );
}

/** Returns the error codes of a list that sorts, and of one that searches for words. */
export function orderErrors(filters: Readonly<Record<string, unknown>>): readonly ErrorCode[] {
  return ["validation_error", ...(filters.q === undefined ? [] : (["not_found"] as const))];
}

/** Returns the order of a list, undefined for that of syncs. */
export function toSort(order: unknown, after: CursorPosition | undefined): Sort | undefined {
  if (order === undefined) return undefined;
  const text = String(order);
  return {
    by: text.replace("-", "") as SortField,
    descending: text.startsWith("-"),
    ...(after && { after }),
  };
}

/** Returns the position of a record, from its JSON. */
export function positionIn(sort: Sort | undefined, json: string): CursorPosition {
  const record = JSON.parse(json) as Readonly<Record<SortField, string | null>> & { readonly id: string };
  const by = sort?.by ?? defaultOrder;
  const value = record[by];
  return { key: sortKey(by, by === "name" || value === null ? value : Date.parse(value)), id: record.id };
}

/** Returns the parameters of a request without `order` if it is the default, so that both have the same cursors. */
export function withoutDefaultOrder<Parameters extends Readonly<Record<string, unknown>>>(parameters: Parameters) {
  const { order, ...rest } = parameters as Parameters & { readonly order?: unknown };
  return order === defaultOrder ? (rest as Parameters) : parameters;
}

/** @throws ApiError `400 invalid_cursor` if the request has the default order, and its cursor another one */
export function assertSameOrder(requested: unknown, order: string | undefined): void {
  if (requested === defaultOrder && order !== undefined) throw filterError("order", mismatch);
}

/** Converts an error of a storage that the caller can correct. */
export function toListError(error: unknown, kind: Kind, parameters: Readonly<Record<string, unknown>>): unknown {
  if (error instanceof SearchOff) return searchOffError(error);
  if (!(error instanceof TooManyMatches)) return error;
  const max = maxSortedRecords.toLocaleString("en-US");
  const keys = keysFilterOf({ where: parameters as NonNullable<Query["where"]> });
  const byCreation =
    hasCreationIndex(kind) && /createdAt$/.test(String(parameters.order)) ? ", remove all filters" : "";
  const [name, rest] =
    parameters.q !== undefined
      ? ["q", `matches more than ${max} records. Use more or longer words.`]
      : keys !== undefined
        ? [keys, `matches more than ${max} records. Send fewer values, or a single one as ${keys.slice(0, -1)}.`]
        : [
            "order",
            `can't be ${parameters.order} for more than ${max} records. Add a filter${byCreation}, or use updatedAt or -updatedAt.`,
          ];
  const problem: FieldError = {
    path: `?${name}`,
    code: "out_of_range",
    message: `${name} ${rest}`,
    limits: { maxItems: maxSortedRecords },
  };
  return validationError([{ kind: "rule", problem }]);
}

/** Returns the error of a search without an index. */
export function searchOffError(cause: SearchOff): ApiError {
  return new ApiError("not_found", "Search is switched off on this server.", { cause });
}
