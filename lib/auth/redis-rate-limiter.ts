import type { RateLimiter, RateLimitResult } from "./rate-limiter.ts";

/** What the limiter needs of a client of Redis or Valkey; ioredis fits. */
export type RedisClient = {
  eval(script: string, keysCount: number, ...values: (string | number)[]): Promise<unknown>;
};

/**
 * The bucket of a key, in one atomic step: a list of the times at which tokens were taken, by Redis's own clock in
 * milliseconds. A token comes back a window after it was taken. Answers whether one was taken, how many are out, and
 * the times of the first and the last.
 */
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local first = redis.call('LINDEX', KEYS[1], 0)
while first and first + window <= now do
  redis.call('LPOP', KEYS[1])
  first = redis.call('LINDEX', KEYS[1], 0)
end
local taken = redis.call('LLEN', KEYS[1])
local accepted = 0
if taken < limit then
  redis.call('RPUSH', KEYS[1], now)
  redis.call('PEXPIRE', KEYS[1], window)
  accepted, taken = 1, taken + 1
end
first = redis.call('LINDEX', KEYS[1], 0) or now
return {accepted, taken, now, tonumber(first), tonumber(redis.call('LINDEX', KEYS[1], -1) or now)}`;

/** Longer than this no request waits for Redis where nothing is said. */
const patienceDefault = 250;
/** After a request has waited in vain, so long none asks: what stands still would hold up each of them. */
const pauseMs = 1_000;

/**
 * A limit that several servers share over Redis or Valkey. Where Redis does not answer in time, `fallback` decides,
 * which is usually the limit in this process's memory: no call is ever refused because Redis is away.
 */
export function redisRateLimiter(options: {
  readonly client: RedisClient;
  readonly limit: number;
  readonly windowMs: number;
  readonly fallback: RateLimiter;
  /** Begins the names of the keys in Redis; "crm:rate:" where it is absent. */
  readonly prefix?: string;
  /** So long a request waits for Redis, in milliseconds; 250 where it is absent. */
  readonly patienceMs?: number;
  /** Told each time the fallback decides, and why: for a log and a metric. */
  readonly onFallback?: (error: unknown) => void;
  /** Told when Redis decides again, for the first time after the fallback did. */
  readonly onReturn?: () => void;
}): RateLimiter {
  const { client, limit, windowMs, fallback, prefix = "crm:rate:", onFallback } = options;
  const patienceMs = options.patienceMs ?? patienceDefault;
  let silent: { readonly error: unknown; readonly until: number } | undefined;
  const ask = async (key: string): Promise<unknown> => {
    if (silent !== undefined && performance.now() < silent.until) throw silent.error;
    try {
      const answer = await inTime(client.eval(script, 1, prefix + key, limit, windowMs), patienceMs);
      if (silent !== undefined) options.onReturn?.();
      silent = undefined;
      return answer;
    } catch (error) {
      silent = { error, until: performance.now() + pauseMs };
      throw error;
    }
  };
  return {
    async take(key) {
      try {
        return stateOf((await ask(key)) as readonly number[], limit, windowMs);
      } catch (error) {
        onFallback?.(error);
        return fallback.take(key);
      }
    },
  };
}

function stateOf(answer: readonly number[], limit: number, windowMs: number): RateLimitResult {
  const [accepted, taken, now, first, last] = answer.map(Number);
  if (accepted === undefined || taken === undefined || now === undefined || first === undefined || last === undefined)
    throw new TypeError("Redis answered something else than the script does");
  const back = (at: number): number => Math.max(0, at + windowMs - now);
  const isAccepted = accepted === 1;
  const retryMs = isAccepted ? 0 : back(first);
  return { accepted: isAccepted, limit, remaining: Math.max(0, limit - taken), resetMs: back(last), retryMs };
}

/** Rejects where the answer takes longer than a request may wait. What comes later is not looked at. */
function inTime<T>(answer: Promise<T>, patienceMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Redis did not answer within ${patienceMs} ms`)), patienceMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
