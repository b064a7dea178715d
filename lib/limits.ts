import { LRUCache } from "lru-cache";

/** The two clocks the library reads: `now` in milliseconds since 1970, `monotonic` in milliseconds since whenever. */
export type Clock = { now(): number; monotonic(): number };

/** The clocks of this machine. */
export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

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

const callersMaxDefault = 20_000;

/**
 * A bucket per key in this process's memory. A token that was taken comes back `windowMs` later: in no window are
 * more than `limit` accepted, and none is refused while fewer were.
 */
export function memoryLimiter(options: {
  readonly limit: number;
  readonly windowMs: number;
  readonly clock: Pick<Clock, "monotonic">;
  /** Callers remembered at a time, 20,000 where it is absent: who has not called for the longest is forgotten first. */
  readonly callersMax?: number;
}): Limiter {
  const { limit, windowMs, clock, callersMax = callersMaxDefault } = options;
  const buckets = new LRUCache<string, number[]>({ max: callersMax });
  return {
    async take(key) {
      const now = clock.monotonic();
      const taken = (buckets.get(key) ?? []).filter((at) => at + windowMs > now);
      const accepted = taken.length < limit;
      if (accepted) taken.push(now);
      buckets.set(key, taken);
      const remaining = limit - taken.length;
      const back = (at: number | undefined): number => (at === undefined ? 0 : at + windowMs - now);
      return { accepted, limit, remaining, resetMs: back(taken.at(-1)), retryMs: accepted ? 0 : back(taken[0]) };
    },
  };
}
