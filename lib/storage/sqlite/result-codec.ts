import { SqliteError } from "better-sqlite3";
import { StorageUnavailable, WriteConflict } from "../storage.ts";
import type { WriteJobResult } from "./transaction-runner.ts";

type Conflict = Pick<WriteConflict, "reason" | "kind" | "field" | "id">;

/** An error that is no result of its own. A copy of one of SQLite's would have neither its name nor its code. */
type Fault =
  | { readonly sqlite: { readonly message: string; readonly code: string; readonly stack: string | undefined } }
  | { readonly other: unknown };

/** A result as it goes from one thread to another, where objects lose their class. */
export type EncodedResult =
  | Exclude<WriteJobResult, { readonly error: unknown }>
  | { readonly conflict: Conflict }
  | { readonly unavailable: string; readonly cause: Fault }
  | { readonly fault: Fault };

export function encodeResult(result: WriteJobResult): EncodedResult {
  if (typeof result === "string" || "changes" in result) return result;
  const { error } = result;
  if (error instanceof WriteConflict) {
    const { reason, kind, field, id } = error;
    return { conflict: { reason, kind, field, id } };
  }
  if (error instanceof StorageUnavailable) return { unavailable: error.message, cause: encodeError(error.cause) };
  return { fault: encodeError(error) };
}

export function decodeResult(carried: EncodedResult): WriteJobResult {
  if (typeof carried === "string" || "changes" in carried) return carried;
  if ("fault" in carried) return { error: decodeError(carried.fault) };
  if ("unavailable" in carried) {
    return { error: new StorageUnavailable(carried.unavailable, { cause: decodeError(carried.cause) }) };
  }
  const { reason, kind, field, id } = carried.conflict;
  return { error: new WriteConflict(reason, kind, field, id) };
}

function encodeError(error: unknown): Fault {
  if (!(error instanceof SqliteError)) return { other: error };
  const { message, code, stack } = error;
  return { sqlite: { message, code, stack } };
}

function decodeError(fault: Fault): unknown {
  if ("other" in fault) return fault.other;
  const { message, code, stack } = fault.sqlite;
  return Object.assign(new SqliteError(message, code), { stack });
}
