import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { systemClock, uuidV7 } from "../../lib/index.ts";
import { loadTenantFile } from "../../lib/tenant-file/index.ts";
import { hasCommand } from "../prove/failures/small-disk.ts";
import { freePort } from "../support/free-port.ts";
import { startNginx } from "../support/nginx.ts";
import { freshAddress, storageAt } from "../support/postgres-databases.ts";
import { noPostgres } from "../support/postgres-server.ts";
import { serving } from "../support/program.ts";
import { tenantFile, testTenant } from "../support/tenants.ts";

const page = readFileSync(new URL("../../docs/operate/postgresql-and-redis.md", import.meta.url), "utf8");
/** The line of the documentation that routes requests. */
const hashLine = /^ {2}hash .+;$/m.exec(page)?.[0] ?? "";
const tenants = [1, 2, 3, 4].map(testTenant);

test("nginx sends all requests of an API key to one of two servers, and to the other one if it stops", {
  skip: noPostgres,
  timeout: 120_000,
}, async (t) => {
  if (!hasCommand(t, "nginx", "-v")) return;
  const database = await freshAddress();
  const storage = await storageAt(database);
  for (const tenant of tenants)
    await loadTenantFile(storage, tenantFile(tenant), { clock: systemClock, newId: () => uuidV7(Date.now()) });
  await storage.close();
  const servers = [await serving(t, "--database", database), await serving(t, "--database", database)];
  const addresses = servers.map(({ greeting }) => new URL(greeting.url).host);
  const port = await freePort();
  startNginx(
    t,
    `  upstream crm {
  ${hashLine}
${addresses.map((address) => `    server ${address};`).join("\n")}
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://crm;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      add_header x-upstream $upstream_addr always;
    }
  }`,
  );
  const request = (path: string, key: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}/integrations/v1${path}`, {
      ...init,
      headers: { "x-api-key": key, "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
    });
  /** The server that responded. A server that was tried before it is in front of it. */
  const serverOf = async (response: Response): Promise<string> => {
    await response.text();
    return response.headers.get("x-upstream")?.split(", ").at(-1) ?? "";
  };
  while ((await request("/accounts", tenants[0]?.key ?? "").catch(() => undefined))?.ok !== true) await wait(50);

  // The server that rejects an unknown API key shows where the key leads.
  const others = Array.from({ length: 64 }, (_, index) => `key ${index}`);
  const routes = async (keys: readonly string[]) => {
    const found = new Map<string, string>();
    for (const key of keys) found.set(key, await serverOf(await request("/accounts", key)));
    return found;
  };
  const before = await routes([...others, ...tenants.map(({ key }) => key)]);
  assert.deepEqual(new Set(before.values()), new Set(addresses));

  const create = async (key: string) => {
    const body = JSON.stringify({ name: crypto.randomUUID() });
    const response = await request("/accounts", key, { method: "POST", body });
    assert.equal(response.status, 201);
    return serverOf(response);
  };
  for (const { key } of tenants)
    for (let count = 0; count < 3; count++) {
      const listed = await request("/accounts", key);
      assert.equal(listed.status, 200);
      assert.deepEqual([await serverOf(listed), await create(key)], [before.get(key), before.get(key)]);
    }

  const [first, other] = servers;
  first?.child.kill("SIGTERM");
  await first?.ended;
  assert.ok(other);
  for (const { key } of tenants) assert.equal(await create(key), addresses[1]);
  assert.deepEqual(new Set((await routes(others)).values()), new Set([addresses[1]]));
});
