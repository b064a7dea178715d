import type { Clock } from "../limits.ts";
/** A moment: milliseconds since 1970, a date-time with an offset, or a Date. */
export type Moment = number | string | Date;
/** A clock that stands still until it is told to move. */
export declare class TestClock implements Clock {
    #private;
    constructor(start?: Moment, machine?: Clock);
    now(): number;
    monotonic(): number;
    /** Both clocks go on, as they do when time passes, by whole milliseconds. */
    advance(ms: number): void;
    /** The wall clock alone jumps, as it does when it is set, and stands still there. */
    set(now: Moment): void;
    /** Puts the wall clock back to how it is now: standing there, or going. */
    mark(): () => void;
}
