import { LRUCache } from "lru-cache";
/** The clocks of this machine. */
export const systemClock = { now: () => Date.now(), monotonic: () => performance.now() };
const maxLimit = 10_000_000;
/** Accepts every request. It reports a limit of 10,000,000. */
export const unlimited = {
    take: async () => ({ accepted: true, limit: maxLimit, remaining: maxLimit, resetMs: 0, retryMs: 0 }),
};
const callersMaxDefault = 20_000;
/** Of fewer times a copy costs more than their room. */
const pieceMin = 64;
/**
 * A bucket per key in this process's memory. A token that was taken comes back `windowMs` later: in no window are
 * more than `limit` accepted, and none is refused while fewer were.
 */
export function memoryLimiter(options) {
    const { limit, windowMs, clock, callersMax = callersMaxDefault } = options;
    const buckets = new LRUCache({ max: callersMax });
    return {
        async take(key) {
            const now = clock.monotonic();
            const bucket = buckets.get(key) ?? { times: [], back: 0 };
            const { times } = bucket;
            for (let at = times[bucket.back]; at !== undefined && at + windowMs <= now; at = times[bucket.back])
                bucket.back++;
            // What has come back is cut off once it is the larger part: a copy at each request would cost the more, the busier.
            if (bucket.back > pieceMin && bucket.back * 2 > times.length) {
                times.splice(0, bucket.back);
                bucket.back = 0;
            }
            const accepted = times.length - bucket.back < limit;
            if (accepted)
                times.push(now);
            buckets.set(key, bucket);
            const remaining = limit - (times.length - bucket.back);
            const until = (at) => (at === undefined ? 0 : at + windowMs - now);
            const [first, last] = [times[bucket.back], remaining === limit ? undefined : times.at(-1)];
            return { accepted, limit, remaining, resetMs: until(last), retryMs: accepted ? 0 : until(first) };
        },
    };
}
