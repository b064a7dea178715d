import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { signAdminToken } from "../../lib/index.ts";
import { scopes } from "../../lib/model/integration.ts";
import type { ShownKey } from "../support/admin.ts";
import { serving } from "../support/program.ts";
import { testTenant } from "../support/tenants.ts";
import { servedPlace, serverCounts } from "./served-place.ts";
import { dice, figures, seed, size } from "./size.ts";

/**
 * Keys are revoked, by name or by rotation, while they are in use at two server processes of one place. The
 * answer to a revocation comes from either process; no request that is begun after it may succeed at any of them,
 * nor at one that is started later.
 */

const revocations = size(30, 1_000);
const tenants = [1, 2, 3, 4].map((number) => testTenant(number));
const adminsEach = 6;
const roll = dice();
const none = { revocations: 0, "by rotation": 0, requests: 0, "begun after the answer": 0 };
let counted = none;

type Made = Pick<ShownKey, "id" | "key">;
/** An integration of its own, and several administrators, as each may ask 300 times a minute. */
type Worker = { readonly integrationId: string; readonly tokens: readonly string[]; readonly made: Made[] };

function adminId(tenant: (typeof tenants)[number], index: number): string {
  return tenant.admin.replace(/.$/, String.fromCharCode(97 + index));
}

/** Administrators and integrations without a key; nothing else is needed. */
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

/** Processes over one place, and who works with them. */
async function open(t: TestContext, count: number) {
  const folder = mkdtempSync(join(tmpdir(), "crm-revocation-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const place = await servedPlace(folder);
  const files = tenants.map((tenant, index) => {
    const file = join(folder, `${index}.json`);
    writeFileSync(file, JSON.stringify(fileOf(tenant)));
    return file;
  });
  const start = async (...more: string[]): Promise<string> => {
    // Where a revocation takes long its key is used many times meanwhile: no rate is to be in the way.
    return (await serving(t, ...place.args, "--rate-limit", "99999", ...more)).greeting.url;
  };
  const urls = [await start("--fixtures", ...files)];
  while (urls.length < count) urls.push(await start());
  const now = Math.floor(Date.now() / 1000);
  const workers = tenants.map(async (tenant): Promise<Worker> => {
    const times = { issuedAt: now, expiresAt: now + 3_600 };
    const users = Array.from({ length: adminsEach }, (_, index) => adminId(tenant, index));
    const tokens = users.map((userId) => signAdminToken(place.adminAuth, { tenantId: tenant.id, userId }, times));
    return { integrationId: tenant.integration, tokens: await Promise.all(tokens), made: [] };
  });
  return { start, urls, workers: await Promise.all(workers) };
}

function pick<T>(from: readonly T[]): T {
  return from[Math.floor(roll() * from.length)] as T;
}

/** Sends it as one of the worker's administrators, to either process. */
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

/** What a key is used for: to read, to write, and to be given an earlier answer again. */
const uses: readonly ((id: string) => Use)[] = [
  () => ({ method: "GET", path: "/me" }),
  () => ({ method: "GET", path: "/tasks?limit=1" }),
  () => ({ method: "POST", path: "/tasks" }),
  (id) => ({ method: "POST", path: "/tasks", headers: { "idempotency-key": id } }),
];

let callers = 0;

/** A client at an address of its own, where loopback has many: an address is told 429 from its 61st failure on. */
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

function assertRefused(status: number): void {
  const refusals = process.platform === "linux" ? [401] : [401, 429];
  assert.ok(refusals.includes(status), `FC_SEED=${seed}: ${status} after the answer to the revocation`);
}

/** Makes a key, uses it at both processes at once without a pause, has it revoked, and goes on for a while. */
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
  const begun: Promise<void>[] = [];
  const users = uses.flatMap((useOf) =>
    urls.map(async (where) => {
      const first = Promise.withResolvers<void>();
      begun.push(first.promise);
      for (let after = 0; after < 3; ) {
        // Read in the same turn in which the request is sent: what is begun later is begun after the answer.
        const isAfter = revoked;
        const status = await use(agent, where, target.key, useOf(target.id));
        first.resolve();
        if (isAfter) {
          after++;
          counted["begun after the answer"]++;
          assertRefused(status);
        } else assert.ok([200, 201, 401].includes(status), String(status));
      }
    }),
  );
  const allUse = Promise.all(users);
  try {
    await Promise.race([Promise.all(begun), allUse]);
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
  const name = `no request begun after the answer to a revocation succeeds, at any process${count > 2 ? ` of ${count}` : ""}`;
  test(name, { timeout: 1_200_000 }, async (t) => {
    counted = { ...none };
    const { start, urls, workers } = await open(t, count);
    let left = revocations;
    await Promise.all(
      workers.map(async (worker) => {
        while (left-- > 0) await revokeInUse(t, worker, urls, roll() < 0.3);
      }),
    );
    const later = await start();
    for (const { key } of workers.flatMap(({ made }) => made)) {
      const agent = client(t);
      for (const where of [later, ...urls]) assertRefused(await use(agent, where, key, { method: "GET", path: "/me" }));
      agent.destroy();
    }
    figures(t, "isolated-revocation", counted);
  });
}
