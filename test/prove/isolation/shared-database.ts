import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { hashKey } from "../../../lib/auth/api-key.ts";
import { newState } from "../../../lib/endpoints/webhook-records.ts";
import {
  type Api,
  createApi,
  memoryRequestLog,
  type RateLimitResult,
  type RequestLog,
  type Storage,
  signAdminToken,
  wrapStorage,
} from "../../../lib/index.ts";
import { sqliteStorage } from "../../../lib/storage/sqlite/index.ts";
import { loadTenantFile } from "../../../lib/tenant-file/index.ts";
import { newSecret } from "../../../lib/webhooks/signature.ts";
import { adminAuth, adminUrl } from "../../support/admin.ts";
import { assertShort } from "../../support/described.ts";
import { baseUrl, type Result, sequentialIds, TestClock } from "../../support/harness.ts";
import { logEntry } from "../../support/request-logs.ts";
import { systemTools } from "../../support/system-tools.ts";
import { seededRandom } from "../size.ts";
import { assertSameRows, newFile, type WatchedFile, watch } from "./database-rows.ts";
import type { TestCall } from "./requests.ts";
import type { TestTenant } from "./tenants.ts";

/** A database file with tenants, and the API over it. It is deterministic. */
export type SharedFile = {
  readonly api: Api;
  readonly storage: Storage;
  readonly clock: TestClock;
  readonly watched: WatchedFile;
  /** Sends a call with this credential from the tenant's address. Resolves when everything is written. */
  call(call: TestCall, as: Pick<TestTenant, "id">, credential: Credential): Promise<Result>;
  /** Restores the state of the last `keep`. New IDs and API keys are then the same as after it. */
  keep(): void;
  restore(): void;
  close(): Promise<void>;
};

export type Credential = Readonly<Record<string, string>>;

/** A rate limiter that accepts everything and always returns the same. */
const endless: RateLimitResult = { accepted: true, limit: 300, remaining: 299, resetMs: 60_000, retryMs: 0 };

/** Loads the tenants in this order. With `limited`, the real rate limiter counts. */
export async function openShared(
  tenants: readonly TestTenant[],
  { limited = false }: { readonly limited?: boolean } = {},
): Promise<SharedFile> {
  const file = newFile();
  // A commit at a time needs no worker.
  const storage = sqliteStorage({ file, commitWorker: false });
  const watched = watch(file);
  const clock = new TestClock();
  for (const { id, file } of tenants) {
    const before = watched.contents({ allBut: id });
    await loadTenantFile(storage, file, { clock, newId: sequentialIds() });
    await addWebhooks(storage, id);
    await addSession(storage, id);
    assertSameRows(watched.contents({ allBut: id }), before, "to load a tenant changes no other");
  }
  watched.fixSecret();
  let tools = new Map<string, RandomSource>();
  const randomSourceOf = (tenant: string): RandomSource => {
    const own = tools.get(tenant) ?? createRandomSource(tenant);
    tools.set(tenant, own);
    return own;
  };
  const caller = new AsyncLocalStorage<RandomSource>();
  const currentSource = (): RandomSource => caller.getStore() ?? randomSourceOf("none");
  // A restored file has the same settings versions again, with other settings than the cache.
  let restores = 0;
  const versionOffset = (): number => restores * 1_000_000;
  const versioned = wrapStorage(storage, {
    settingsVersion: async (tenant) => (await storage.settingsVersion(tenant)) + versionOffset(),
    commit: (tenant, now, propose, { settingsVersion, ...conditions } = {}) =>
      storage.commit(tenant, now, propose, {
        ...conditions,
        settingsVersion: settingsVersion === undefined ? undefined : settingsVersion - versionOffset(),
      }),
  });
  const api = createApi({
    storage: versioned,
    clock,
    adminAuth,
    system: systemTools,
    webhooks: { fetch: async () => ({ status: 204 }) },
    requestLog: await fixedRequestLog(storage, tenants),
    ids: () => currentSource().id(),
    random: (length) => currentSource().bytes(length),
    ...(limited ? {} : { rateLimiter: { take: async () => endless } }),
  });
  return {
    api,
    storage,
    clock,
    watched,
    async call(call, { id }, credential) {
      const transport = { remoteAddress: id };
      const response = await caller.run(randomSourceOf(id), () => api.fetch(requestOf(call, credential), transport));
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

/** Adds a webhook of each integration and one of the admins, because tenant files have none. */
async function addWebhooks(storage: Storage, tenantId: string): Promise<void> {
  const integrations = await storage.list(tenantId, "integration", {});
  for (const [index, integration] of [...integrations, undefined].entries()) {
    const [{ id: of, name, updatedAt: now }] = [integration ?? integrations[0] ?? assert.fail("no integration")];
    const id = `${of.slice(0, 24)}${String(90 + index).padStart(12, "0")}`;
    await storage.commit(tenantId, now, (at) => {
      const times = { createdAt: now, updatedAt: at, archivedAt: null };
      const url = `https://hooks.test/${encodeURIComponent(name)}/${index}`;
      const secrets = {
        secret: newSecret(createRandomSource(tenantId).bytes),
        previousSecret: null,
        previousSecretUntil: null,
      };
      const options = { types: null, skipOwn: integration !== undefined, active: true, description: `To ${name}` };
      const record = { id, integrationId: integration?.id ?? null, url, ...options, ...secrets, ...times };
      return [
        { op: "insert", kind: "webhook", record },
        { op: "insert", kind: "webhookState", record: newState(id, at, now) },
      ];
    });
  }
}

/** Adds a session of the console, because tenant files have none. */
async function addSession(storage: Storage, tenantId: string): Promise<void> {
  const [user] = await storage.list(tenantId, "user", { limit: 1 });
  const { id, updatedAt: now } = user ?? assert.fail("no user");
  const session = { id, hash: hashKey(tenantId), userAgent: `Browser of ${tenantId}`, createdAt: now, lastUsedAt: now };
  await storage.commit(tenantId, now, (at) => {
    const times = { createdAt: now, updatedAt: at, archivedAt: null };
    const record = { id, sessions: [session], invitation: null, passkeys: [], ...times };
    return [{ op: "insert", kind: "consoleAccess", record }];
  });
}

/**
 * Returns a request log with two requests of each integration, whose request ID is the tenant's ID. It takes no others.
 */
async function fixedRequestLog(storage: Storage, tenants: readonly TestTenant[]): Promise<RequestLog> {
  const log = memoryRequestLog();
  for (const { id: tenantId } of tenants)
    for (const { id: integrationId } of await storage.list(tenantId, "integration", {})) {
      const entry = { tenantId, requestId: tenantId, integrationId };
      await log.append([1, 2].map((number) => logEntry({ ...entry, id: `${integrationId} ${number}` })));
    }
  return { ...log, append() {} };
}

/** Returns a credential of the tenant for this endpoint. */
export async function credentialOf({ endpoint }: Pick<TestCall, "endpoint">, as: TestTenant): Promise<Credential> {
  return endpoint.access === "admin" ? bearer(await tokenOf(as, as.admin)) : { "x-api-key": as.key };
}

export function bearer(credential: string): Credential {
  return { authorization: `Bearer ${credential}` };
}

const issuedAt = new TestClock().now() / 1000;

/** Returns a token that is valid as long as the clock of any test runs. */
export function tokenOf({ id }: Pick<TestTenant, "id">, userId: string): Promise<string> {
  return signAdminToken(adminAuth, { tenantId: id, userId }, { issuedAt, expiresAt: issuedAt + 365 * 86_400 });
}

type RandomSource = { readonly id: () => string; readonly bytes: (length: number) => Uint8Array };

/** IDs that count up, the same for every tenant, with letters; and random bytes that differ by tenant. */
function createRandomSource(tenant: string): RandomSource {
  const [count, random] = [sequentialIds(), seededRandom(Number.parseInt(tenant, 16))];
  return {
    id: () => count().replace(/^01950000/, "0195beef"),
    bytes: (length) => Uint8Array.from({ length }, () => Math.floor(random() * 256)),
  };
}

/** Encodes the query as fetch does. */
export function requestOf({ endpoint, params, query, body, headers }: TestCall, credential: Credential): Request {
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
