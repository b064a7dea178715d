import { memoryRateLimiter, type RateLimiter, unlimitedRateLimiter } from "../auth/rate-limiter.ts";
import { type Api, type ApiOptions, createApi } from "../http/create-api.ts";
import { openMemoryImage, type SerializableStorage } from "../storage/sqlite/storage.ts";
import type { Storage } from "../storage/storage.ts";
import { DeterministicIds } from "./deterministic-ids.ts";
import type { TestClock } from "./test-clock.ts";

export type TestInstanceOptions = {
  readonly clock: TestClock;
  /**
   * Requests per minute and API key; 0 removes the limit. A fifth of it limits failed authentication per client
   * address.
   */
  readonly rateLimit: number;
  /** More options for `createApi`. */
  readonly api?: Pick<ApiOptions, "adminAuth" | "maxInFlight" | "eventDays" | "logger" | "system" | "webhooks">;
};

/** A serialized instance: its database, and how many IDs and random bytes it has generated. */
export type InstanceState = { readonly database: Buffer; readonly ids: number; readonly bytes: number };

/** One API over one in-memory database. To restore a snapshot, a new instance replaces it. */
export type TestInstance = {
  readonly api: Api;
  readonly storage: Storage;
  readonly generator: DeterministicIds;
  /** Aborts when the instance is closed. */
  readonly closeSignal: AbortSignal;
  serialize(): InstanceState;
  /** Waits for running requests. */
  close(): Promise<void>;
};

const minuteMs = 60_000;
const authFailuresShare = 5;
const defaultRateLimit = 300;
/** Tests use few API keys, and a larger table would take milliseconds to allocate. */
const maxKeys = 1_000;

export function createInstance(options: TestInstanceOptions): TestInstance {
  const generator = new DeterministicIds();
  return toInstance(options, openMemoryImage({ secret: generator.random(32) }), generator);
}

/** Restores a state. The sessions of the console are those of the instance before. */
export async function restoreInstance(
  options: TestInstanceOptions,
  { database, ...counts }: InstanceState,
  replaced: Pick<TestInstance, "storage">,
): Promise<TestInstance> {
  const restored = toInstance(options, openMemoryImage({ image: database }), new DeterministicIds(counts));
  await copyConsoleAccess(replaced.storage, restored.storage);
  return restored;
}

/** A reset must not sign out the developer who looks at the records in the console. */
async function copyConsoleAccess(from: Storage, to: Storage): Promise<void> {
  for (const { id: tenantId } of await to.listTenants()) {
    for (const access of await from.list(tenantId, "consoleAccess", {})) {
      const stored = await to.get(tenantId, "consoleAccess", access.id);
      if ((await to.get(tenantId, "user", access.id)) === undefined) continue;
      await to.commit(tenantId, 0, (at) => {
        const record = { ...access, updatedAt: at };
        const change = { kind: "consoleAccess", record } as const;
        if (stored === undefined) return [{ op: "insert", ...change }];
        return [{ op: "update", ...change, expectedUpdatedAt: stored.updatedAt }];
      });
    }
  }
}

function toInstance(
  { clock, rateLimit, api: apiOptions }: TestInstanceOptions,
  { storage, serialize }: SerializableStorage,
  generator: DeterministicIds,
): TestInstance {
  const perMinute = (limit: number): RateLimiter => memoryRateLimiter({ limit, windowMs: minuteMs, clock, maxKeys });
  const api = createApi({
    ...apiOptions,
    storage,
    clock,
    ids: generator.newId,
    random: generator.random,
    rateLimiter: rateLimit === 0 ? unlimitedRateLimiter : perMinute(rateLimit),
    authFailureLimiter: perMinute(Math.ceil((rateLimit || defaultRateLimit) / authFailuresShare)),
  });
  const closing = new AbortController();
  return {
    api,
    storage,
    generator,
    closeSignal: closing.signal,
    serialize: () => ({ database: serialize(), ids: generator.ids, bytes: generator.bytes }),
    close() {
      closing.abort();
      return api.close();
    },
  };
}
