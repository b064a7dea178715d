import { once } from "node:events";
import { type Logger, memoryRateLimiter, type RateLimiter, systemClock, unlimitedRateLimiter } from "#lib";
import { type RedisClient, redisRateLimiter } from "#lib/redis";
import { UsageError } from "../cli/errors.ts";
import { integerSetting, type SettingValues, stringSetting } from "../cli/setting.ts";

const defaultRateLimit = 300;

export const rateLimiterSettings = {
  rateLimit: integerSetting(
    "N",
    "requests per minute per API key; 0 disables the limit. The limit of failed authentications per client address is a fifth",
    {
      min: 0,
      max: 10_000_000,
      preset: defaultRateLimit,
    },
  ),
  limiter: stringSetting(
    "URL",
    "Redis or Valkey that several servers share to count requests, such as redis://localhost:6379",
    {
      secret: true,
    },
  ),
} as const;

/** Requests that were counted in this process because Redis was not responding, and whether this is so now. */
export type FallbackCounts = { readonly fallbacks: number; readonly isFallbackActive: boolean };

/** The rate limiters of a server. */
export type RateLimiters = {
  readonly rateLimiter: RateLimiter;
  readonly authFailureLimiter: RateLimiter;
  /** Undefined without Redis. */
  readonly counts: (() => FallbackCounts) | undefined;
  close(): void;
};

const minuteMs = 60_000;
/** Ratio of the request limit to the limit of failed authentications. */
const requestsPerFailure = 5;
/** Delay between attempts to reconnect to Redis. */
const retryMs = 1_000;
/** Time to wait for Redis at startup. */
const startTimeoutMs = 2_000;

/** Creates the rate limiters, in memory or in Redis. @throws UsageError if the address of Redis is invalid */
export async function openRateLimiters(
  { rateLimit, limiter: address }: SettingValues<typeof rateLimiterSettings>,
  logger: Logger,
): Promise<RateLimiters> {
  const failures = Math.ceil((rateLimit || defaultRateLimit) / requestsPerFailure);
  const local = (limit: number): RateLimiter => memoryRateLimiter({ limit, windowMs: minuteMs, clock: systemClock });
  if (address === undefined) {
    return {
      rateLimiter: rateLimit === 0 ? unlimitedRateLimiter : local(rateLimit),
      authFailureLimiter: local(failures),
      counts: undefined,
      close: () => {},
    };
  }
  const { client, close } = await connect(address);
  let fallbacks = 0;
  /** The limits that this process currently counts without Redis. */
  const fallbackActive = new Set<string>();
  const shared = (limit: number, counted: string, prefix: string): RateLimiter =>
    redisRateLimiter({
      client,
      limit,
      windowMs: minuteMs,
      fallback: local(limit),
      prefix,
      onFallback(err) {
        fallbacks++;
        // Log once per outage, not once per request.
        if (!fallbackActive.has(counted))
          logger.error({ err }, `Redis is not responding; counting ${counted} in this process only`);
        fallbackActive.add(counted);
      },
      onRecovery: () => fallbackActive.delete(counted),
    });
  return {
    rateLimiter: rateLimit === 0 ? unlimitedRateLimiter : shared(rateLimit, "requests", "crm:rate:"),
    authFailureLimiter: shared(failures, "failed authentications", "crm:failures:"),
    counts: () => ({ fallbacks, isFallbackActive: fallbackActive.size > 0 }),
    close,
  };
}

/** Connects to Redis and reconnects after an outage. Commands fail at once while there is no connection. */
async function connect(address: string): Promise<{ client: RedisClient; close: () => void }> {
  if (!/^(?:rediss?:\/\/|\/)/.test(address))
    throw new UsageError("--limiter must be a URL such as redis://localhost:6379.");
  // When a CommonJS package is imported dynamically, esbuild keeps only its default export.
  const { default: ioredis } = await import("ioredis");
  const client = new ioredis.Redis(address, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => retryMs,
    connectionName: "crm-integrations",
  });
  // Failed commands are reported by the rate limiter. Without this listener, a lost connection would end the process.
  client.on("error", () => {});
  await Promise.race([
    once(client, "ready").catch(() => {}),
    new Promise((resolve) => setTimeout(resolve, startTimeoutMs)),
  ]);
  return { client, close: () => client.disconnect() };
}
