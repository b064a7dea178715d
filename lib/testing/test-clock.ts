import type { Clock } from "../auth/rate-limiter.ts";
import { parseDateTime } from "../model/date-time.ts";

/** A time: milliseconds since 1970, a date-time with an offset, or a Date. */
export type TimeInput = number | string | Date;

/** The last millisecond of the year 9999, the latest time that the API can represent. */
const maxTime = 253_402_300_799_999;

/** A clock that tests set and advance. It can follow another clock until it is set. */
export class TestClock implements Clock {
  readonly #base: Clock | undefined;
  /** The wall-clock time. Undefined while it follows the other clock. */
  #frozenAt: number | undefined;
  #aheadMs = 0;
  #advancedMs = 0;

  /** @param base the clock to follow. Without it, the clock is frozen at `start`. */
  constructor(start: TimeInput = "2026-03-01T12:00:00.000Z", base?: Clock) {
    this.#base = base;
    this.#frozenAt = base === undefined ? toTimestamp(start) : undefined;
  }

  now(): number {
    return this.#frozenAt ?? (this.#base?.now() ?? 0) + this.#aheadMs;
  }

  monotonic(): number {
    return (this.#base?.monotonic() ?? 0) + this.#advancedMs;
  }

  /** Advances the wall clock and the monotonic clock. @throws RangeError if `ms` isn't an integer of 0 or more */
  advance(ms: number): void {
    if (!Number.isInteger(ms) || ms < 0 || this.now() + ms > maxTime)
      throw new RangeError(
        `Can't advance the clock by ${ms}. Use whole milliseconds, 0 or more. To go back, use set().`,
      );
    if (this.#frozenAt === undefined) this.#aheadMs += ms;
    else this.#frozenAt += ms;
    this.#advancedMs += ms;
  }

  /**
   * Freezes the wall clock at this time. The monotonic clock is unchanged.
   * @throws RangeError if the time is invalid
   */
  set(now: TimeInput): void {
    this.#frozenAt = toTimestamp(now);
  }

  /** Returns a function that restores the current state of the wall clock. */
  mark(): () => void {
    const [frozenAt, aheadMs] = [this.#frozenAt, this.#aheadMs];
    return () => {
      this.#frozenAt = frozenAt;
      this.#aheadMs = aheadMs;
    };
  }
}

function toTimestamp(time: TimeInput): number {
  const ms = typeof time === "string" ? parseDateTime(time) : Number(time);
  if (ms !== undefined && ms >= 0 && ms <= maxTime) return Math.trunc(ms);
  throw new RangeError(
    `${String(time)} isn't a valid time. Use milliseconds, a Date, or a date-time with an offset, up to the year 9999.`,
  );
}
