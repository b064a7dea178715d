import { StorageUnavailable, WriteConflict } from "../storage.ts";
import type { Result } from "./transactions.ts";

type Conflict = Pick<WriteConflict, "reason" | "kind" | "field" | "id">;

/** A result as it goes from one thread to another, where objects lose their class. */
export type Carried =
  | Exclude<Result, { readonly error: unknown }>
  | { readonly conflict: Conflict }
  | { readonly unavailable: string; readonly cause: unknown }
  | { readonly error: unknown };

export function carried(result: Result): Carried {
  if (result === "late" || "changes" in result) return result;
  const { error } = result;
  if (error instanceof WriteConflict) {
    const { reason, kind, field, id } = error;
    return { conflict: { reason, kind, field, id } };
  }
  if (error instanceof StorageUnavailable) return { unavailable: error.message, cause: error.cause };
  return result;
}

export function resultOf(carried: Carried): Result {
  if (carried === "late" || "changes" in carried || "error" in carried) return carried;
  if ("unavailable" in carried) return { error: new StorageUnavailable(carried.unavailable, { cause: carried.cause }) };
  const { reason, kind, field, id } = carried.conflict;
  return { error: new WriteConflict(reason, kind, field, id) };
}
