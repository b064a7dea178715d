import { once } from "node:events";
import { type Logger, memoryRateLimiter, type RateLimiter, systemClock, unlimited } from "#lib";
import { type RedisClient, redisRateLimiter } from "#lib/redis";
import { integerSetting, stringSetting, type Values } from "../cli/setting.ts";
import { UsageError } from "../cli/usage.ts";

const defaultRateLimit = 300;

/** How much callers may ask, and where that is counted. */
export const limiterSettings = {
  rateLimit: integerSetting(
    "N",
    "requests per minute per API key, 0 for no limit; failed authentications per address are limited to a fifth",
    {
      min: 0,
      max: 10_000_000,
      preset: defaultRateLimit,
    },
  ),
  limiter: stringSetting(
    "URL",
    "Redis or Valkey in which several servers count them together, such as redis://localhost:6379",
    {
      secret: true,
    },
  ),
} as const;

/** How often this server counted alone because Redis did not answer, and whether it does so now. */
export type LimiterCounts = { readonly fallbacks: number; readonly alone: boolean };

/** The limits of one server. */
export type Limiters = {
  readonly rateLimiter: RateLimiter;
  readonly authFailureLimiter: RateLimiter;
  /** Undefined where there is no Redis. */
  readonly counts: (() => LimiterCounts) | undefined;
  close(): void;
};

const minuteMs = 60_000;
/** So many requests are accepted per key for each authentication that may fail per address. */
const failuresShare = 5;
/** Between two attempts to reach a Redis that is away. */
const retryMs = 1_000;
/** A server waits so long for Redis when it starts, and then starts without. */
const startWaitMs = 2_000;

/** Counts in this process's memory, or in the Redis that is named. @throws UsageError */
export async function openLimiters(
  { rateLimit, limiter: address }: Values<typeof limiterSettings>,
  logger: Logger,
): Promise<Limiters> {
  const failures = Math.ceil((rateLimit || defaultRateLimit) / failuresShare);
  const local = (limit: number): RateLimiter => memoryRateLimiter({ limit, windowMs: minuteMs, clock: systemClock });
  if (address === undefined) {
    return {
      rateLimiter: rateLimit === 0 ? unlimited : local(rateLimit),
      authFailureLimiter: local(failures),
      counts: undefined,
      close: () => {},
    };
  }
  const { client, close } = await connect(address);
  let fallbacks = 0;
  const away = new Set<string>();
  const shared = (limit: number, what: string, prefix: string): RateLimiter =>
    redisRateLimiter({
      client,
      limit,
      windowMs: minuteMs,
      fallback: local(limit),
      prefix,
      onFallback(err) {
        fallbacks++;
        // Once for each time that it goes away: a line a request would be a second outage.
        if (!away.has(what))
          logger.error({ err }, `Redis does not answer: until it does, this server counts ${what} alone`);
        away.add(what);
      },
      onReturn: () => away.delete(what),
    });
  return {
    rateLimiter: rateLimit === 0 ? unlimited : shared(rateLimit, "requests", "crm:rate:"),
    authFailureLimiter: shared(failures, "failed authentications", "crm:failures:"),
    counts: () => ({ fallbacks, alone: away.size > 0 }),
    close,
  };
}

/** While it is away nothing is kept waiting for it, and it is tried again and again. */
async function connect(address: string): Promise<{ client: RedisClient; close: () => void }> {
  if (!/^(?:rediss?:\/\/|\/)/.test(address))
    throw new UsageError("--limiter takes an address such as redis://localhost:6379.");
  const { Redis } = await import("ioredis");
  const client = new Redis(address, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => retryMs,
    connectionName: "crm-integrations",
  });
  // Each call that fails is told of; this is for what breaks between two calls.
  client.on("error", () => {});
  await Promise.race([
    once(client, "ready").catch(() => {}),
    new Promise((resolve) => setTimeout(resolve, startWaitMs)),
  ]);
  return { client, close: () => client.disconnect() };
}
