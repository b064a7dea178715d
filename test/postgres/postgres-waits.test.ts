import assert from "node:assert/strict";
import { test } from "node:test";
import { scopes } from "../../lib/model/integration.ts";
import { one, openCrm, sales } from "../support/crm.ts";
import { freshAddress, storageAt } from "../support/postgres-databases.ts";
import { startCountingProxy } from "../support/postgres-proxy.ts";
import { noPostgres } from "../support/postgres-server.ts";

type Call = readonly [method: string, path: string, body?: unknown];

/** Requests with their number of round trips, including the one for the API key. */
const calls: readonly (readonly [what: string, call: Call, waits: number])[] = [
  ["a page", ["GET", "/tasks?limit=50"], 2],
  ["a record", ["GET", `/accounts/${one.account}`], 2],
  ["a created task", ["POST", "/tasks", { title: "Call", relatedTo: { type: "account", id: one.account } }], 3],
  ["a created account", ["POST", "/accounts", { customFields: { size: 1 } }], 2],
  ["a created contact", ["POST", "/contacts", { accountId: one.account, customFields: { size: 1 } }], 3],
  ["a created opportunity", ["POST", "/opportunities", { accountId: one.account }], 3],
  ["an opportunity created at a stage", ["POST", "/opportunities", { stageId: sales.offer }], 2],
  ["an updated account", ["PATCH", `/accounts/${one.account}`, {}], 3],
];

test("requests need the expected number of PostgreSQL round trips", {
  skip: noPostgres,
  timeout: 120_000,
}, async (t) => {
  const proxy = await startCountingProxy(await freshAddress());
  t.after(() => proxy.stop());
  const crm = await openCrm({}, { storage: await storageAt(proxy.url, { max: 1 }) });
  const waitsFor = async ([method, path, body]: Call, key: string, name: string) => {
    const headers = method === "POST" ? { "idempotency-key": key } : {};
    const named = path === "/tasks" ? body : { ...(body as object), name };
    const before = proxy.traffic().roundTrips;
    const { status, text } = await crm.send(method, path, {
      key: one.key,
      headers,
      ...(body === undefined ? {} : { body: named }),
    });
    assert.ok(status < 300, text);
    return proxy.traffic().roundTrips - before;
  };
  for (const [what, call, expected] of calls) {
    // The first call prepares the statements and may record the use of the API key. The second caches the settings.
    for (const time of ["First", "Second"]) {
      await waitsFor(call, crypto.randomUUID(), `${time}, ${what}`);
      await crm.storage.commit(one.id, crm.clock.now(), () => []);
    }
    const key = crypto.randomUUID();
    assert.equal(await waitsFor(call, key, `Third, ${what}`), expected, what);
    if (call[0] === "POST") assert.equal(await waitsFor(call, key, `Third, ${what}`), 1, `a replay of ${what}`);
  }
});

test("a caller without an API key needs no round trip more for the version of the settings", {
  skip: noPostgres,
  timeout: 120_000,
}, async (t) => {
  const proxy = await startCountingProxy(await freshAddress());
  t.after(() => proxy.stop());
  const authenticate = () => ({ tenantId: one.id, scopes: [...scopes], integrationId: one.integration });
  const crm = await openCrm({}, { storage: await storageAt(proxy.url, { max: 1 }), authenticate });
  const body = (name: string) => ({ name, customFields: { size: 1 } });
  const requests: readonly (readonly [what: string, send: (name: string) => Promise<unknown>, waits: number])[] = [
    [
      "authenticated by the host",
      (name) => crm.send("POST", "/accounts", { headers: { "idempotency-key": name }, body: body(name) }),
      2,
    ],
    ["in process", (name) => crm.api.operations.createAccount({ caller: authenticate(), body: body(name) }), 2],
  ];
  for (const [what, send, expected] of requests) {
    for (const time of ["First", "Second"]) await send(`${time}, ${what}`);
    const before = proxy.traffic().roundTrips;
    await send(`Third, ${what}`);
    assert.equal(proxy.traffic().roundTrips - before, expected, what);
  }
});
