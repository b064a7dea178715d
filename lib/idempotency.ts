import { hash } from "node:crypto";
import { ApiError } from "./errors.ts";
import { isUuid } from "./input/scalars.ts";
import type { IdempotencyRecord } from "./records/integration.ts";
import { sorted } from "./rules/change.ts";
import type { Write } from "./storage.ts";

/** How long an answer is kept, from the first use of its key. */
export const idempotencyWindowMs = 24 * 60 * 60 * 1000;

/** What makes two requests the same one. */
export type Operation = {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
};

/** An answer as it is kept: the bytes of the body, not the value. */
export type KeptAnswer = { readonly status: number; readonly body: string | null; readonly location: string | null };

/** A request under an Idempotency-Key: under what name its answer is kept, and how the request is known again. */
export type Keyed = Pick<IdempotencyRecord, "id" | "integrationId"> & {
  readonly operation: Omit<Operation, "body">;
  /** The fingerprint of it with the bytes of its body; undefined where it has none, or was not sent. */
  readonly asSent: string | undefined;
};

/** The same once its body is read: with the fingerprint of what it means. */
export type Once = Keyed & { readonly meaning: string };

/** The key of a request, bare or in quotes, in lower case; undefined where it is no uuid. */
export function idempotencyKeyOf(header: string): string | undefined {
  const key = /^(?:"([^"]*)"|([^"]*))$/.exec(header.trim())?.slice(1).join("") ?? "";
  return isUuid(key) ? key.toLowerCase() : undefined;
}

/** The SHA-256 of what was asked. White space and the order of keys in the body do not count. */
export function fingerprintOf({ method, path, query, body }: Operation): string {
  const text = JSON.stringify([method, path, sorted(query), sorted(body ?? null)]);
  return hash("sha256", text);
}

/** Whether a record is of a request with this fingerprint. */
export function isOf({ fingerprint }: Pick<IdempotencyRecord, "fingerprint">, meaning: string): boolean {
  return fingerprint.split(" ", 1)[0] === meaning;
}

/** The answer that was kept for a request which came to the letter like this, if it still counts; undefined tells nothing. */
export function sameAnswerOf(
  record: IdempotencyRecord | undefined,
  asSent: string | undefined,
  now: number,
): KeptAnswer | undefined {
  if (record === undefined || asSent === undefined || isExpired(record, now)) return undefined;
  return record.fingerprint.endsWith(` ${asSent}`) ? record : undefined;
}

/**
 * The answer that was kept under this key, if it still counts.
 * @throws ApiError `422 idempotency_key_reused` where the key stands for another request
 */
export function replayOf(record: IdempotencyRecord | undefined, meaning: string, now: number): KeptAnswer | undefined {
  if (record === undefined || isExpired(record, now)) return undefined;
  if (isOf(record, meaning)) return record;
  const message = "This Idempotency-Key was used for another request. Use a new key for a new request.";
  throw new ApiError("idempotency_key_reused", message);
}

/** The write that keeps an answer; `expired` is the record that it takes the place of, where there is one. */
export function keepingWrite(
  { id, integrationId, meaning, asSent }: Once,
  answer: KeptAnswer,
  at: number,
  now: number,
  expired: IdempotencyRecord | undefined,
): Write {
  const fingerprint = asSent === undefined ? meaning : `${meaning} ${asSent}`;
  const stamps = { createdAt: now, updatedAt: at, archivedAt: null };
  const record = { id, integrationId, fingerprint, ...answer, ...stamps };
  if (expired === undefined) return { op: "insert", kind: "idempotencyRecord", record };
  return { op: "update", kind: "idempotencyRecord", record, was: expired.updatedAt };
}

function isExpired(record: IdempotencyRecord, now: number): boolean {
  return record.createdAt + idempotencyWindowMs <= now;
}
