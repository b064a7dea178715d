import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Api,
  createApi,
  type RateLimitResult,
  type Storage,
  signAdminToken,
  wrapStorage,
} from "../../lib/index.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { loadTenantFile } from "../../lib/tenant-file/index.ts";
import { adminAuth, adminUrl } from "../support/admin.ts";
import { assertShort } from "../support/described.ts";
import { baseUrl, type Result, sequentialIds, TestClock } from "../support/harness.ts";
import { systemTools } from "../support/system-tools.ts";
import type { Ask } from "./asks.ts";
import type { Neighbour } from "./neighbours.ts";
import { dice } from "./size.ts";
import { assertSameRows, newFile, type WatchedFile, watch } from "./watched-file.ts";

/** One database file, the tenants in it, and the engine over it. Nothing in it happens by chance. */
export type SharedFile = {
  readonly api: Api;
  readonly storage: Storage;
  readonly clock: TestClock;
  readonly watched: WatchedFile;
  /** Sends it with this credential, from an address of the tenant's own; ends when all that it wrote is written. */
  ask(ask: Ask, as: Pick<Neighbour, "id">, credential: Credential): Promise<Result>;
  /** Everything is as it was at the last `keep`, and new ids and keys are made as they were from there. */
  keep(): void;
  restore(): void;
  close(): Promise<void>;
};

export type Credential = Readonly<Record<string, string>>;

/** A limiter that never refuses and shows no difference. */
const endless: RateLimitResult = { accepted: true, limit: 300, remaining: 299, resetMs: 60_000, retryMs: 0 };

/** Loads them in this order. With `limited`, the real limiter counts. */
export async function openShared(
  neighbours: readonly Neighbour[],
  { limited = false }: { readonly limited?: boolean } = {},
): Promise<SharedFile> {
  const file = newFile();
  const storage = sqliteStorage({ file });
  const watched = watch(file);
  const clock = new TestClock();
  for (const { id, file } of neighbours) {
    const before = watched.contents({ allBut: id });
    await loadTenantFile(storage, file, { clock, newId: sequentialIds() });
    assertSameRows(watched.contents({ allBut: id }), before, "to load a tenant changes no other");
  }
  watched.fixSecret();
  let tools = new Map<string, Chance>();
  const chanceOf = (tenant: string): Chance => {
    const own = tools.get(tenant) ?? chance(tenant);
    tools.set(tenant, own);
    return own;
  };
  const caller = new AsyncLocalStorage<Chance>();
  const drawn = (): Chance => caller.getStore() ?? chanceOf("nobody");
  // A restored file gives out the same versions again, for other settings than those in the cache.
  let restores = 0;
  const settingsVersion = async (tenant: string): Promise<number> =>
    (await storage.settingsVersion(tenant)) + restores * 1_000_000;
  const api = createApi({
    storage: wrapStorage(storage, { settingsVersion }),
    clock,
    adminAuth,
    system: systemTools,
    ids: () => drawn().id(),
    random: (length) => drawn().bytes(length),
    ...(limited ? {} : { rateLimiter: { take: async () => endless } }),
  });
  return {
    api,
    storage,
    clock,
    watched,
    async ask(ask, { id }, credential) {
      const transport = { remoteAddress: id };
      const response = await caller.run(chanceOf(id), () => api.fetch(requestOf(ask, credential), transport));
      const text = await response.text();
      await api.idle();
      const { status, headers } = response;
      assertShort({ status, text });
      return { status, headers, text, body: text === "" ? undefined : JSON.parse(text) };
    },
    keep: () => watched.keep(),
    restore() {
      tools = new Map();
      if (!watched.changed()) return;
      watched.restore();
      restores++;
    },
    async close() {
      await api.close();
      watched.close();
    },
  };
}

/** What opens the door of this endpoint to the tenant. */
export async function credentialOf({ endpoint }: Pick<Ask, "endpoint">, as: Neighbour): Promise<Credential> {
  return endpoint.access === "admin" ? bearer(await tokenOf(as, as.admin)) : { "x-api-key": as.key };
}

export function bearer(credential: string): Credential {
  return { authorization: `Bearer ${credential}` };
}

const issuedAt = new TestClock().now() / 1000;

/** A token that is good for as long as any test's clock runs. */
export function tokenOf({ id }: Pick<Neighbour, "id">, userId: string): Promise<string> {
  return signAdminToken(adminAuth, { tenantId: id, userId }, { issuedAt, expiresAt: issuedAt + 365 * 86_400 });
}

type Chance = { readonly id: () => string; readonly bytes: (length: number) => Uint8Array };

/** Ids that count up, the same for every tenant, with letters in them; and bytes that are each tenant's own. */
function chance(tenant: string): Chance {
  const [count, roll] = [sequentialIds(), dice(Number.parseInt(tenant, 16))];
  return {
    id: () => count().replace(/^01950000/, "0195beef"),
    bytes: (length) => Uint8Array.from({ length }, () => Math.floor(roll() * 256)),
  };
}

/** As fetch sends it. */
export function requestOf({ endpoint, params, query, body, headers }: Ask, credential: Credential): Request {
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const search = new URLSearchParams(query).toString();
  const base = endpoint.access === "admin" ? adminUrl : baseUrl;
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  return new Request(`${base}${path}${search === "" ? "" : `?${search}`}`, {
    method: endpoint.method,
    headers: { "content-type": "application/json", ...credential, ...headers },
    ...content,
  });
}
