import type { RandomBytes } from "../model/uuid.ts";
import type { Outcome } from "./send.ts";
import type { Progress } from "./state-store.ts";

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/** Times until the next attempt after the first, second, … failure in a row. */
const delays = [
  5 * second,
  minute,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];
/** The same after responses that reject an event. All attempts are within 35 minutes. */
const rejectionDelays = [5 * second, minute, 5 * minute, 25 * minute];
/** Number of attempts of an event that the receiver rejects. */
const maxRejections = rejectionDelays.length + 1;
/** A webhook without a success for so long is paused. */
const maxFailingMs = 72 * hour;
const maxRetryAfterMs = 24 * hour;
const jitter = 0.1;

/**
 * The meaning of a status: it settles the event, pauses the webhook, rejects this event only, or the receiver can't
 * work.
 */
export type Verdict = "success" | "gone" | "rejected" | "failed";

/** The receiver may accept the same event later. */
const temporary: ReadonlySet<number> = new Set([401, 403, 404, 408, 425, 429]);

/** Returns what a status means. Null is an error without a status. */
export function verdictOf(status: number | null): Verdict {
  if (status === null) return "failed";
  if (status >= 200 && status < 300) return "success";
  if (status === 410) return "gone";
  return status >= 400 && status < 500 && !temporary.has(status) ? "rejected" : "failed";
}

/**
 * Returns the progress after an attempt of the next event failed: it plans an attempt, skips the event or pauses the
 * webhook.
 */
export function afterFailure(
  progress: Progress,
  eventId: string,
  { status, error, durationMs, retryAfter }: Outcome,
  now: number,
  random: RandomBytes,
): { readonly progress: Progress; readonly isSkipped: boolean } {
  const verdict = verdictOf(status);
  const failingSince = progress.failingSince ?? now;
  const failures = progress.failures + 1;
  const rejections = verdict === "rejected" ? progress.rejections + 1 : 0;
  const lastAttempt = { at: now, eventId, status, error, durationMs };
  const next = { ...progress, failures, failingSince, rejections, lastAttempt, nextAttemptAt: null };
  if (verdict === "gone") return { progress: { ...next, pausedReason: "gone" }, isSkipped: false };
  if (now - failingSince >= maxFailingMs) return { progress: { ...next, pausedReason: "failing" }, isSkipped: false };
  if (rejections >= maxRejections) return { progress: { ...next, failures: 0, rejections: 0 }, isSkipped: true };
  const [list, count] = verdict === "rejected" ? [rejectionDelays, rejections] : [delays, failures];
  const nextAttemptAt = nextAttempt(list, count, { now, failingSince, retryAfter }, random);
  return { progress: { ...next, nextAttemptAt }, isSkipped: false };
}

/** Returns the time of the next attempt. */
function nextAttempt(
  list: readonly number[],
  count: number,
  {
    now,
    failingSince,
    retryAfter,
  }: { readonly now: number; readonly failingSince: number; readonly retryAfter: string | null },
  random: RandomBytes,
): number {
  const delay = list[Math.min(count, list.length) - 1] ?? 0;
  const share = (Buffer.from(random(4)).readUInt32BE() / 2 ** 32) * 2 - 1;
  const planned = Math.round(now + delay * (1 + jitter * share));
  const last = failingSince + maxFailingMs;
  // The last attempt before the pause.
  const inTime = now < last ? Math.min(planned, last) : planned;
  return Math.max(inTime, now + retryAfterMs(retryAfter, now));
}

/** Returns the wait of a Retry-After header: seconds, or a date. 0 without a valid one. */
function retryAfterMs(header: string | null, now: number): number {
  if (header === null) return 0;
  const ms = /^\d{1,9}$/.test(header.trim()) ? Number(header) * second : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(0, Math.ceil(ms)), maxRetryAfterMs) : 0;
}

/** Returns the progress after a success. */
export function afterSuccess(progress: Progress, at: number): Progress {
  return { ...progress, failures: 0, rejections: 0, failingSince: null, nextAttemptAt: null, lastSuccessAt: at };
}
