import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { freshAddress } from "../support/postgres-databases.ts";
import { noPostgres } from "../support/postgres-server.ts";
import {
  type Greeting,
  newerProgramCommand,
  programCommand,
  quiet,
  startCommand,
  tenantFolder,
} from "../support/program.ts";
import { crmIntegrations } from "../support/run-program.ts";
import { testTenant } from "../support/tenants.ts";

const tenant = testTenant(1);
const { path, file } = tenantFolder(tenant);

async function serveWith(t: TestContext, command: readonly string[], database: readonly string[]) {
  const started = startCommand(t, [...command, "serve", "--listen", "127.0.0.1:0", "--json", ...quiet, ...database]);
  const [line = ""] = (await started.waitForOutput(/\n/)).split("\n");
  const { baseUrl, url } = JSON.parse(line) as Greeting;
  const headers = { "x-api-key": tenant.key, "content-type": "application/json", "idempotency-key": "two-versions" };
  return {
    started,
    post: (title: string, idempotencyKey: string) =>
      fetch(`${baseUrl}/tasks`, {
        method: "POST",
        headers: { ...headers, "idempotency-key": idempotencyKey },
        body: JSON.stringify({ title }),
      }),
    titles: async () => {
      const { data } = (await (await fetch(`${baseUrl}/tasks`, { headers })).json()) as { data: { title: string }[] };
      return data.map(({ title }) => title);
    },
    readiness: async () => {
      const response = await fetch(new URL("/readyz", url));
      const { reasons } = (await response.json()) as { reasons?: string[] };
      return [response.status, reasons];
    },
  };
}

const databases = {
  "a data folder": { skip: false, open: async () => ["--data", path("data")] },
  PostgreSQL: { skip: noPostgres, open: async () => ["--database", await freshAddress()] },
} as const;

for (const [name, { skip, open }] of Object.entries(databases))
  test(`on ${name}, a server stops writing when a newer one has migrated the database`, {
    skip,
    timeout: 120_000,
  }, async (t) => {
    const database = await open();
    assert.equal((await crmIntegrations("load", file, ...database)).code, 0);
    const old = await serveWith(t, programCommand, database);
    const before = await old.titles();
    assert.equal((await old.post("Before", "key-1")).status, 201);
    assert.deepEqual(await old.readiness(), [200, undefined]);

    const newer = await serveWith(t, newerProgramCommand, database);
    const rejected = await old.post("Between", "key-2");
    const { error } = (await rejected.json()) as { error: { code: string; message: string } };
    assert.deepEqual(
      [rejected.status, rejected.headers.get("retry-after"), error.code, error.message],
      [
        503,
        "1",
        "internal_error",
        "Temporarily unavailable: a newer version is replacing this server. Retry with the same Idempotency-Key.",
      ],
    );
    await old.started.waitForOutput(
      /A newer version migrated the database to schema \d; this version .+ up to 1\./,
      "stderr",
    );
    const reason = "A newer version migrated the database. Replace this server.";
    while ((await old.readiness())[0] === 200);
    assert.deepEqual(await old.readiness(), [503, [reason]]);
    assert.deepEqual(await newer.readiness(), [200, undefined]);

    assert.equal((await newer.post("Between", "key-2")).status, 201);
    const titles = [...before, "Before", "Between"];
    assert.deepEqual([await newer.titles(), await old.titles()], [titles, titles]);
  });
