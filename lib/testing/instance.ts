import { type Api, type ApiOptions, createApi } from "../http/create-api.ts";
import { type Limiter, memoryLimiter, unlimited } from "../rate-limiter.ts";
import { type ImagedStorage, imagedStorage } from "../sqlite/serialized-storage.ts";
import type { Storage } from "../storage.ts";
import { Counting } from "./deterministic.ts";
import type { TestClock } from "./test-clock.ts";

export type WorldOptions = {
  readonly clock: TestClock;
  /** Requests a minute per key, 0 for no limit; a fifth as many failed authentications per address. */
  readonly rateLimit: number;
  /** What createApi is given beside. */
  readonly api?: Pick<ApiOptions, "adminAuth" | "inFlightMax" | "logger">;
};

/** What a world was made of at one moment, and can be made of again. */
type Image = { readonly database: Buffer; readonly ids: number; readonly bytes: number };

/** One API over one database in memory. To go back in time is to leave it for another. */
export type World = {
  readonly api: Api;
  readonly storage: Storage;
  readonly counting: Counting;
  /** Aborts once the world is left. */
  readonly ending: AbortSignal;
  image(): Image;
  /** Waits for what was begun in it. */
  close(): Promise<void>;
};

const minuteMs = 60_000;
const failuresShare = 5;
const defaultRateLimit = 300;
/** Tests have few keys, and room for more takes milliseconds to make. */
const callersMax = 1_000;

export function emptyWorld(options: WorldOptions): World {
  const counting = new Counting();
  return made(options, imagedStorage({ secret: counting.random(32) }), counting);
}

export function worldOf(options: WorldOptions, { database, ...counts }: Image): World {
  return made(options, imagedStorage({ image: database }), new Counting(counts));
}

function made({ clock, rateLimit, api: more }: WorldOptions, imaged: ImagedStorage, counting: Counting): World {
  const perMinute = (limit: number): Limiter => memoryLimiter({ limit, windowMs: minuteMs, clock, callersMax });
  const { storage } = imaged;
  const api = createApi({
    ...more,
    storage,
    clock,
    ids: counting.newId,
    random: counting.random,
    limiter: rateLimit === 0 ? unlimited : perMinute(rateLimit),
    failureLimiter: perMinute(Math.ceil((rateLimit || defaultRateLimit) / failuresShare)),
  });
  const ending = new AbortController();
  return {
    api,
    storage,
    counting,
    ending: ending.signal,
    image: () => ({ database: imaged.image(), ids: counting.ids, bytes: counting.bytes }),
    close() {
      ending.abort();
      return api.close();
    },
  };
}
