import type { Clock } from "../auth/rate-limiter.ts";
import { parseDateTime } from "../model/scalars.ts";

/** A moment: milliseconds since 1970, a date-time with an offset, or a Date. */
export type TimeInput = number | string | Date;

/** The last millisecond of the year 9999: later ones cannot be written as the API writes them. */
const latest = 253_402_300_799_999;

/** A clock that stands still until it is told to move. */
export class TestClock implements Clock {
  readonly #machine: Clock | undefined;
  /** What it shows; undefined while it goes with the machine's. */
  #frozenAt: number | undefined;
  #ahead = 0;
  #passed = 0;

  constructor(start: TimeInput = "2026-03-01T12:00:00.000Z", machine?: Clock) {
    this.#machine = machine;
    this.#frozenAt = machine === undefined ? momentOf(start) : undefined;
  }

  now(): number {
    return this.#frozenAt ?? (this.#machine?.now() ?? 0) + this.#ahead;
  }

  monotonic(): number {
    return (this.#machine?.monotonic() ?? 0) + this.#passed;
  }

  /** Both clocks go on, as they do when time passes, by whole milliseconds. */
  advance(ms: number): void {
    if (!Number.isInteger(ms) || ms < 0 || this.now() + ms > latest)
      throw new RangeError(`A clock goes on by whole milliseconds, not by ${ms}. To put it back, set it.`);
    if (this.#frozenAt === undefined) this.#ahead += ms;
    else this.#frozenAt += ms;
    this.#passed += ms;
  }

  /** The wall clock alone jumps, as it does when it is set, and stands still there. */
  set(now: TimeInput): void {
    this.#frozenAt = momentOf(now);
  }

  /** Puts the wall clock back to how it is now: standing there, or going. */
  mark(): () => void {
    const [stands, ahead] = [this.#frozenAt, this.#ahead];
    return () => {
      this.#frozenAt = stands;
      this.#ahead = ahead;
    };
  }
}

function momentOf(moment: TimeInput): number {
  const ms = typeof moment === "string" ? parseDateTime(moment) : Number(moment);
  if (ms !== undefined && ms >= 0 && ms <= latest) return Math.trunc(ms);
  throw new RangeError(
    `${String(moment)} is no moment: say milliseconds since 1970, a Date, or a date-time with an offset.`,
  );
}
