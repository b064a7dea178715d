import { LRUCache } from "lru-cache";

/** The two clocks the library reads: `now` in milliseconds since 1970, `monotonic` in milliseconds since whenever. */
export type Clock = { now(): number; monotonic(): number };

/** The clocks of this machine. */
export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/** What a limiter says of one attempt. Times are milliseconds from now. */
export type RateLimitResult = {
  readonly accepted: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Until every token is back. */
  readonly resetMs: number;
  /** Until the next token is back; 0 while there is one. */
  readonly retryMs: number;
};

/** Where a host shares limits between servers, it brings its own. `take` refuses without taking a token. */
export interface RateLimiter {
  take(key: string): Promise<RateLimitResult>;
}

const maxLimit = 10_000_000;

/** Accepts every request. It reports a limit of 10,000,000. */
export const unlimited: RateLimiter = {
  take: async () => ({ accepted: true, limit: maxLimit, remaining: maxLimit, resetMs: 0, retryMs: 0 }),
};

const callersMaxDefault = 20_000;
/** Of fewer times a copy costs more than their room. */
const compactAfter = 64;

/** When tokens were taken, the first `back` of which are there again. */
type Taken = { readonly times: number[]; back: number };

/**
 * A bucket per key in this process's memory. A token that was taken comes back `windowMs` later: in no window are
 * more than `limit` accepted, and none is refused while fewer were.
 */
export function memoryRateLimiter(options: {
  readonly limit: number;
  readonly windowMs: number;
  readonly clock: Pick<Clock, "monotonic">;
  /** Callers remembered at a time, 20,000 where it is absent: who has not called for the longest is forgotten first. */
  readonly maxKeys?: number;
}): RateLimiter {
  const { limit, windowMs, clock, maxKeys = callersMaxDefault } = options;
  const buckets = new LRUCache<string, Taken>({ max: maxKeys });
  return {
    async take(key) {
      const now = clock.monotonic();
      const bucket = buckets.get(key) ?? { times: [], back: 0 };
      const { times } = bucket;
      for (let at = times[bucket.back]; at !== undefined && at + windowMs <= now; at = times[bucket.back])
        bucket.back++;
      // What has come back is cut off once it is the larger part: a copy at each request would cost the more, the busier.
      if (bucket.back > compactAfter && bucket.back * 2 > times.length) {
        times.splice(0, bucket.back);
        bucket.back = 0;
      }
      const accepted = times.length - bucket.back < limit;
      if (accepted) times.push(now);
      buckets.set(key, bucket);
      const remaining = limit - (times.length - bucket.back);
      const until = (at: number | undefined): number => (at === undefined ? 0 : at + windowMs - now);
      const [first, last] = [times[bucket.back], remaining === limit ? undefined : times.at(-1)];
      return { accepted, limit, remaining, resetMs: until(last), retryMs: accepted ? 0 : until(first) };
    },
  };
}
