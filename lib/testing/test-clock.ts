import { instantOf } from "../input/scalars.ts";
import type { Clock } from "../rate-limiter.ts";

/** A moment: milliseconds since 1970, a date-time with an offset, or a Date. */
export type Moment = number | string | Date;

/** The last millisecond of the year 9999: later ones cannot be written as the API writes them. */
const latest = 253_402_300_799_999;

/** A clock that stands still until it is told to move. */
export class TestClock implements Clock {
  readonly #machine: Clock | undefined;
  /** What it shows; undefined while it goes with the machine's. */
  #stands: number | undefined;
  #ahead = 0;
  #passed = 0;

  constructor(start: Moment = "2026-03-01T12:00:00.000Z", machine?: Clock) {
    this.#machine = machine;
    this.#stands = machine === undefined ? momentOf(start) : undefined;
  }

  now(): number {
    return this.#stands ?? (this.#machine?.now() ?? 0) + this.#ahead;
  }

  monotonic(): number {
    return (this.#machine?.monotonic() ?? 0) + this.#passed;
  }

  /** Both clocks go on, as they do when time passes, by whole milliseconds. */
  advance(ms: number): void {
    if (!Number.isInteger(ms) || ms < 0 || this.now() + ms > latest)
      throw new RangeError(`A clock goes on by whole milliseconds, not by ${ms}. To put it back, set it.`);
    if (this.#stands === undefined) this.#ahead += ms;
    else this.#stands += ms;
    this.#passed += ms;
  }

  /** The wall clock alone jumps, as it does when it is set, and stands still there. */
  set(now: Moment): void {
    this.#stands = momentOf(now);
  }

  /** Puts the wall clock back to how it is now: standing there, or going. */
  mark(): () => void {
    const [stands, ahead] = [this.#stands, this.#ahead];
    return () => {
      this.#stands = stands;
      this.#ahead = ahead;
    };
  }
}

function momentOf(moment: Moment): number {
  const ms = typeof moment === "string" ? instantOf(moment) : Number(moment);
  if (ms !== undefined && ms >= 0 && ms <= latest) return Math.trunc(ms);
  throw new RangeError(
    `${String(moment)} is no moment: say milliseconds since 1970, a Date, or a date-time with an offset.`,
  );
}
