/** The two clocks the library reads: `now` in milliseconds since 1970, `monotonic` in milliseconds since whenever. */
export type Clock = {
    now(): number;
    monotonic(): number;
};
/** The clocks of this machine. */
export declare const systemClock: Clock;
/** What a limiter says of one attempt. Times are milliseconds from now. */
export type LimitState = {
    readonly accepted: boolean;
    readonly limit: number;
    readonly remaining: number;
    /** Until every token is back. */
    readonly resetMs: number;
    /** Until the next token is back; 0 while there is one. */
    readonly retryMs: number;
};
/** Where a host shares limits between servers, it brings its own. `take` refuses without taking a token. */
export interface Limiter {
    take(key: string): Promise<LimitState>;
}
/** Accepts every request. It reports a limit of 10,000,000. */
export declare const unlimited: Limiter;
/**
 * A bucket per key in this process's memory. A token that was taken comes back `windowMs` later: in no window are
 * more than `limit` accepted, and none is refused while fewer were.
 */
export declare function memoryLimiter(options: {
    readonly limit: number;
    readonly windowMs: number;
    readonly clock: Pick<Clock, "monotonic">;
    /** Callers remembered at a time, 20,000 where it is absent: who has not called for the longest is forgotten first. */
    readonly callersMax?: number;
}): Limiter;
