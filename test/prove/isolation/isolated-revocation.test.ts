import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { signAdminToken } from "../../../lib/index.ts";
import { scopes } from "../../../lib/model/integration.ts";
import type { ShownKey } from "../../support/admin.ts";
import { serving } from "../../support/program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { testTenant } from "../../support/tenants.ts";
import { createServedStorage, serverCounts } from "../served-storage.ts";
import { figures, seed, seededRandom, size } from "../size.ts";

/**
 * Revokes API keys, by ID or by rotation, while they are in use on two servers that share a database. The response to a
 * revocation comes from either server. No request that begins after it may succeed on any server, nor on one that
 * starts later.
 */

const revocations = size(30, 1_000);
const tenants = [1, 2, 3, 4].map((number) => testTenant(number));
const adminsEach = 6;
const random = seededRandom();
const none = { revocations: 0, "by rotation": 0, requests: 0, "begun after the response": 0 };
let counted = none;

type Made = Pick<ShownKey, "id" | "key">;
/** An integration, and several admins, because each may send 300 requests a minute. */
type Worker = { readonly integrationId: string; readonly tokens: readonly string[]; readonly made: Made[] };

function adminId(tenant: (typeof tenants)[number], index: number): string {
  return tenant.admin.replace(/.$/, String.fromCharCode(97 + index));
}

/** A tenant with admins, and integrations without API keys. */
function fileOf(tenant: (typeof tenants)[number]): unknown {
  const users = Array.from({ length: adminsEach }, (_, index) => {
    return { id: adminId(tenant, index), name: `Admin ${index}`, email: `${index}@tenant.test`, role: "admin" };
  });
  return {
    tenant: { id: tenant.id, name: "Tenant" },
    users,
    integrations: [{ id: tenant.integration, name: "ERP", scopes }],
  };
}

/** Servers on one database, and their clients. */
async function open(t: TestContext, count: number) {
  const folder = temporaryFolder(t);
  const storage = await createServedStorage(folder);
  const files = tenants.map((tenant, index) => {
    const file = join(folder, `${index}.json`);
    writeFileSync(file, JSON.stringify(fileOf(tenant)));
    return file;
  });
  const start = async (...more: string[]): Promise<string> => {
    // If a revocation takes long, its key is used many times. The rate limit must not interfere.
    return (await serving(t, ...storage.args, "--rate-limit", "99999", ...more)).greeting.url;
  };
  const urls = [await start("--fixtures", ...files)];
  while (urls.length < count) urls.push(await start());
  const now = Math.floor(Date.now() / 1000);
  const workers = tenants.map(async (tenant): Promise<Worker> => {
    const times = { issuedAt: now, expiresAt: now + 3_600 };
    const users = Array.from({ length: adminsEach }, (_, index) => adminId(tenant, index));
    const tokens = users.map((userId) => signAdminToken(storage.adminAuth, { tenantId: tenant.id, userId }, times));
    return { integrationId: tenant.integration, tokens: await Promise.all(tokens), made: [] };
  });
  return { start, urls, workers: await Promise.all(workers) };
}

function pick<T>(from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

/** Sends a request as one of the admins to either server. */
async function administrate({ tokens }: Worker, url: string, path: string, body: object): Promise<Made> {
  const headers = { authorization: `Bearer ${pick(tokens)}`, "content-type": "application/json" };
  const response = await fetch(`${url}/integrations/api-key/${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assert.ok(response.ok, `${path}: ${response.status} ${text}`);
  return JSON.parse(text).data;
}

type Use = { readonly method: string; readonly path: string; readonly headers?: Record<string, string> };

/** Requests of an API key: a read, a write and a replay. */
const uses: readonly ((id: string) => Use)[] = [
  () => ({ method: "GET", path: "/me" }),
  () => ({ method: "GET", path: "/tasks?limit=1" }),
  () => ({ method: "POST", path: "/tasks" }),
  (id) => ({ method: "POST", path: "/tasks", headers: { "idempotency-key": id } }),
];

let callers = 0;

/** A client with its own loopback address, because an address gets 429 from its 61st failure on. */
function client(t: TestContext): Agent {
  const own = `127.1.${++callers >> 8}.${callers & 255}`;
  const agent = new Agent({ keepAlive: true, ...(process.platform === "linux" ? { localAddress: own } : {}) });
  t.after(() => agent.destroy());
  return agent;
}

function use(agent: Agent, url: string, key: string, { method, path, headers }: Use): Promise<number> {
  counted.requests++;
  const sent = { "x-api-key": key, "content-type": "application/json", ...headers };
  const outgoing = request(`${url}/integrations/v1${path}`, { agent, method, headers: sent });
  return new Promise((resolve, reject) => {
    outgoing.once("error", reject);
    outgoing.once("response", (incoming) => {
      incoming.resume().once("error", reject);
      incoming.once("end", () => resolve(incoming.statusCode ?? 0));
    });
    outgoing.end(method === "POST" ? '{"title":"Call"}' : undefined);
  });
}

function assertRejected(status: number): void {
  const rejections = process.platform === "linux" ? [401] : [401, 429];
  assert.ok(rejections.includes(status), `FC_SEED=${seed}: ${status} after the response to the revocation`);
}

/** Creates an API key, uses it on both servers without a pause, revokes it, and continues for a while. */
async function revokeInUse(
  t: TestContext,
  worker: Worker,
  urls: readonly string[],
  byRotation: boolean,
): Promise<void> {
  const agent = client(t);
  const { integrationId, made } = worker;
  const url = () => pick(urls);
  const target = await administrate(worker, url(), "generate", { integrationId });
  const others = byRotation ? [await administrate(worker, url(), "generate", { integrationId })] : [];
  made.push(target, ...others);
  let revoked = false;
  const running: Promise<void>[] = [];
  const users = uses.flatMap((useOf) =>
    urls.map(async (where) => {
      const first = Promise.withResolvers<void>();
      running.push(first.promise);
      for (let after = 0; after < 3; ) {
        // Read in the turn in which the request is sent. A request that is sent later begins after the response.
        const isAfter = revoked;
        const status = await use(agent, where, target.key, useOf(target.id));
        first.resolve();
        if (isAfter) {
          after++;
          counted["begun after the response"]++;
          assertRejected(status);
        } else assert.ok([200, 201, 401].includes(status), String(status));
      }
    }),
  );
  const allUse = Promise.all(users);
  try {
    await Promise.race([Promise.all(running), allUse]);
    if (byRotation) made.push(await administrate(worker, url(), "generate", { integrationId, rotate: true }));
    else await administrate(worker, url(), `${target.id}/revoke`, {});
  } finally {
    revoked = true;
    await allUse;
  }
  agent.destroy();
  counted.revocations++;
  if (!byRotation) return;
  counted["by rotation"]++;
  for (const { id } of made.slice(-2)) await administrate(worker, url(), `${id}/revoke`, {});
}

for (const count of serverCounts) {
  const name = `no request begun after the response to a revocation succeeds, at any process${count > 2 ? ` of ${count}` : ""}`;
  test(name, { timeout: 1_200_000 }, async (t) => {
    counted = { ...none };
    const { start, urls, workers } = await open(t, count);
    let left = revocations;
    await Promise.all(
      workers.map(async (worker) => {
        while (left-- > 0) await revokeInUse(t, worker, urls, random() < 0.3);
      }),
    );
    const later = await start();
    for (const { key } of workers.flatMap(({ made }) => made)) {
      const agent = client(t);
      for (const where of [later, ...urls])
        assertRejected(await use(agent, where, key, { method: "GET", path: "/me" }));
      agent.destroy();
    }
    figures(t, "isolated-revocation", counted);
  });
}
