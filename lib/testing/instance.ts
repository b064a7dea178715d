import { memoryRateLimiter, type RateLimiter, unlimited } from "../auth/rate-limiter.ts";
import { type Api, type ApiOptions, createApi } from "../http/create-api.ts";
import { openSerializable, type SerializableStorage } from "../storage/sqlite/serialized-storage.ts";
import type { Storage } from "../storage/storage.ts";
import { DeterministicIds } from "./deterministic.ts";
import type { TestClock } from "./test-clock.ts";

export type TestInstanceOptions = {
  readonly clock: TestClock;
  /** Requests a minute per key, 0 for no limit; a fifth as many failed authentications per address. */
  readonly rateLimit: number;
  /** What createApi is given beside. */
  readonly api?: Pick<ApiOptions, "adminAuth" | "maxInFlight" | "logger">;
};

/** What a world was made of at one moment, and can be made of again. */
type Image = { readonly database: Buffer; readonly ids: number; readonly bytes: number };

/** One API over one database in memory. To go back in time is to leave it for another. */
export type TestInstance = {
  readonly api: Api;
  readonly storage: Storage;
  readonly counting: DeterministicIds;
  /** Aborts once the world is left. */
  readonly closeSignal: AbortSignal;
  serialize(): Image;
  /** Waits for what was begun in it. */
  close(): Promise<void>;
};

const minuteMs = 60_000;
const failuresShare = 5;
const defaultRateLimit = 300;
/** Tests have few keys, and room for more takes milliseconds to make. */
const maxKeys = 1_000;

export function createInstance(options: TestInstanceOptions): TestInstance {
  const counting = new DeterministicIds();
  return made(options, openSerializable({ secret: counting.random(32) }), counting);
}

export function restoreInstance(options: TestInstanceOptions, { database, ...counts }: Image): TestInstance {
  return made(options, openSerializable({ image: database }), new DeterministicIds(counts));
}

function made(
  { clock, rateLimit, api: more }: TestInstanceOptions,
  imaged: SerializableStorage,
  counting: DeterministicIds,
): TestInstance {
  const perMinute = (limit: number): RateLimiter => memoryRateLimiter({ limit, windowMs: minuteMs, clock, maxKeys });
  const { storage } = imaged;
  const api = createApi({
    ...more,
    storage,
    clock,
    ids: counting.newId,
    random: counting.random,
    rateLimiter: rateLimit === 0 ? unlimited : perMinute(rateLimit),
    authFailureLimiter: perMinute(Math.ceil((rateLimit || defaultRateLimit) / failuresShare)),
  });
  const ending = new AbortController();
  return {
    api,
    storage,
    counting,
    closeSignal: ending.signal,
    serialize: () => ({ database: imaged.serialize(), ids: counting.ids, bytes: counting.bytes }),
    close() {
      ending.abort();
      return api.close();
    },
  };
}
