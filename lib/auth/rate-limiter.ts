import { LRUCache } from "lru-cache";

/** A clock. `now` is in milliseconds since 1970. `monotonic` is in milliseconds since an arbitrary start. */
export type Clock = { now(): number; monotonic(): number };

/** The clock of the machine. */
export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/** The result of one request. Times are in milliseconds from now. */
export type RateLimitResult = {
  readonly accepted: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Time until `remaining` is back at `limit`. */
  readonly resetMs: number;
  /** Time until the next request is accepted. 0 if `accepted` is true. */
  readonly retryMs: number;
};

/**
 * Accepts or rejects requests by key. Implement it to share limits between servers. A rejected request doesn't count.
 */
export interface RateLimiter {
  take(key: string): Promise<RateLimitResult>;
}

const maxLimit = 10_000_000;

/** Accepts every request. It reports a limit of 10,000,000. */
export const unlimitedRateLimiter: RateLimiter = {
  take: async () => ({ accepted: true, limit: maxLimit, remaining: maxLimit, resetMs: 0, retryMs: 0 }),
};

const defaultMaxKeys = 20_000;
/** Minimum number of expired entries before the array is compacted. */
const compactAfter = 64;

/** The times of accepted requests. The first `expired` of them are outside the window. */
type Bucket = { readonly times: number[]; expired: number };

/**
 * Returns a rate limiter in the memory of this process. In every window of `windowMs` it accepts exactly the first
 * `limit` requests of a key.
 */
export function memoryRateLimiter(options: {
  readonly limit: number;
  readonly windowMs: number;
  readonly clock: Pick<Clock, "monotonic">;
  /** Maximum number of keys in memory. The least recently used key is forgotten first. The default is 20,000. */
  readonly maxKeys?: number;
}): RateLimiter {
  const { limit, windowMs, clock, maxKeys = defaultMaxKeys } = options;
  const buckets = new LRUCache<string, Bucket>({ max: maxKeys });
  return {
    async take(key) {
      const now = clock.monotonic();
      const bucket = buckets.get(key) ?? { times: [], expired: 0 };
      const { times } = bucket;
      for (let at = times[bucket.expired]; at !== undefined && at + windowMs <= now; at = times[bucket.expired])
        bucket.expired++;
      // Compact only if most entries are expired, so that the cost per request stays constant.
      if (bucket.expired > compactAfter && bucket.expired * 2 > times.length) {
        times.splice(0, bucket.expired);
        bucket.expired = 0;
      }
      const accepted = times.length - bucket.expired < limit;
      if (accepted) times.push(now);
      buckets.set(key, bucket);
      const remaining = limit - (times.length - bucket.expired);
      const until = (at: number | undefined): number => (at === undefined ? 0 : at + windowMs - now);
      const [first, last] = [times[bucket.expired], remaining === limit ? undefined : times.at(-1)];
      return { accepted, limit, remaining, resetMs: until(last), retryMs: accepted ? 0 : until(first) };
    },
  };
}
