import { SqliteError } from "better-sqlite3";
import { StorageUnavailable, WriteConflict } from "../storage.ts";
import type { WriteJobResult } from "./transaction-runner.ts";

type Conflict = Pick<WriteConflict, "reason" | "kind" | "field" | "id">;

/** An encoded error. Structured cloning would drop the name and code of a SQLite error. */
type EncodedError =
  | { readonly sqlite: { readonly message: string; readonly code: string; readonly stack: string | undefined } }
  | { readonly other: unknown };

/** A result in a form that can be sent between threads. */
export type EncodedResult =
  | Exclude<WriteJobResult, { readonly error: unknown }>
  | { readonly conflict: Conflict }
  | { readonly unavailable: string; readonly cause: EncodedError }
  | { readonly error: EncodedError };

export function encodeResult(result: WriteJobResult): EncodedResult {
  if (typeof result === "string" || "changes" in result) return result;
  const { error } = result;
  if (error instanceof WriteConflict) {
    const { reason, kind, field, id } = error;
    return { conflict: { reason, kind, field, id } };
  }
  if (error instanceof StorageUnavailable) return { unavailable: error.message, cause: encodeError(error.cause) };
  return { error: encodeError(error) };
}

export function decodeResult(encoded: EncodedResult): WriteJobResult {
  if (typeof encoded === "string" || "changes" in encoded) return encoded;
  if ("error" in encoded) return { error: decodeError(encoded.error) };
  if ("unavailable" in encoded) {
    return { error: new StorageUnavailable(encoded.unavailable, { cause: decodeError(encoded.cause) }) };
  }
  const { reason, kind, field, id } = encoded.conflict;
  return { error: new WriteConflict(reason, kind, field, id) };
}

function encodeError(error: unknown): EncodedError {
  if (!(error instanceof SqliteError)) return { other: error };
  const { message, code, stack } = error;
  return { sqlite: { message, code, stack } };
}

function decodeError(error: EncodedError): unknown {
  if ("other" in error) return error.other;
  const { message, code, stack } = error.sqlite;
  return Object.assign(new SqliteError(message, code), { stack });
}
