import type { RateLimiter, RateLimitResult } from "./rate-limiter.ts";

/** A client of Redis or Valkey, such as ioredis. */
export type RedisClient = {
  eval(script: string, keysCount: number, ...values: (string | number)[]): Promise<unknown>;
};

/**
 * Takes a token atomically. The bucket of a key is a list of the times of accepted requests in milliseconds, by the
 * clock of Redis. Returns whether the request is accepted, the number of requests in the window, the current time, and
 * the times of the first and the last request.
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

const defaultTimeoutMs = 250;
/** Time without requests to Redis after a timeout, so that they don't all wait. */
const pauseMs = 1_000;

/**
 * Returns a rate limiter that several servers share over Redis or Valkey. If Redis fails or times out, `fallback`
 * decides, which is usually a `memoryRateLimiter`.
 */
export function redisRateLimiter(options: {
  readonly client: RedisClient;
  readonly limit: number;
  readonly windowMs: number;
  readonly fallback: RateLimiter;
  /** Prefix of the keys in Redis. The default is "crm:rate:". */
  readonly prefix?: string;
  /** Maximum time that a request waits for Redis, in milliseconds. The default is 250. */
  readonly timeoutMs?: number;
  /** Called each time `fallback` decides, with the reason. */
  readonly onFallback?: (error: unknown) => void;
  /** Called when Redis responds again after `fallback` has decided. */
  readonly onRecovery?: () => void;
}): RateLimiter {
  const { client, limit, windowMs, fallback, prefix = "crm:rate:", onFallback } = options;
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
  let failure: { readonly error: unknown; readonly until: number } | undefined;
  const runScript = async (key: string): Promise<unknown> => {
    if (failure !== undefined && performance.now() < failure.until) throw failure.error;
    try {
      const reply = await withTimeout(client.eval(script, 1, prefix + key, limit, windowMs), timeoutMs);
      if (failure !== undefined) options.onRecovery?.();
      failure = undefined;
      return reply;
    } catch (error) {
      failure = { error, until: performance.now() + pauseMs };
      throw error;
    }
  };
  return {
    async take(key) {
      try {
        return parseReply((await runScript(key)) as readonly number[], limit, windowMs);
      } catch (error) {
        onFallback?.(error);
        return fallback.take(key);
      }
    },
  };
}

function parseReply(reply: readonly number[], limit: number, windowMs: number): RateLimitResult {
  const [accepted, taken, now, first, last] = reply.map(Number);
  if (accepted === undefined || taken === undefined || now === undefined || first === undefined || last === undefined)
    throw new TypeError("Redis returned an unexpected reply");
  const untilExpiry = (at: number): number => Math.max(0, at + windowMs - now);
  const isAccepted = accepted === 1;
  const retryMs = isAccepted ? 0 : untilExpiry(first);
  return { accepted: isAccepted, limit, remaining: Math.max(0, limit - taken), resetMs: untilExpiry(last), retryMs };
}

/** Rejects if the reply takes longer than `timeoutMs`. A later reply is ignored. */
function withTimeout<T>(reply: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Redis did not reply within ${timeoutMs} ms`)), timeoutMs);
    reply.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
