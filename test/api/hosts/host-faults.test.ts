import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { toNodeListener } from "../../../lib/http/index.ts";
import type { ApiOptions, Clock } from "../../../lib/index.ts";
import { type Sent, sequentialIds, TestClock, testCrm } from "../../support/harness.ts";
import { dataOf, verdict } from "../../support/responses.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { key } = one;
const rejecting = async (): Promise<never> => {
  throw new Error("no space");
};

/** Returns the API of a faulty host, its log, and a promise of the first entry. */
async function crmOf(t: TestContext, options: Partial<ApiOptions>) {
  const logged: unknown[] = [];
  const firstEntry = Promise.withResolvers<void>();
  const logger = {
    error({ err }: Readonly<Record<string, unknown>>, message: string) {
      logged.push(`${message}: ${err}`);
      firstEntry.resolve();
    },
  };
  const crm = await testCrm([one], { logger, ...options });
  t.after(() => crm.api.close());
  return { ...crm, logged, firstEntry: firstEntry.promise };
}

test("an async onRequest that rejects and a logger that rejects change no response", async (t) => {
  const { send, logged, firstEntry } = await crmOf(t, { onRequest: rejecting });
  assert.equal((await send("GET", "/me", { key })).status, 200);
  await firstEntry;
  assert.deepEqual(logged, ["onRequest failed: Error: no space"]);
  const called = Promise.withResolvers<void>();
  const error = (): Promise<never> => {
    called.resolve();
    return rejecting();
  };
  const other = await crmOf(t, { onRequest: rejecting, logger: { error } });
  assert.equal((await other.send("GET", "/me", { key })).status, 200);
  await called.promise;
});

test("returns 500 and logs an error if the rate limiter or the clock fails", async (t) => {
  const state = { accepted: true, limit: 300, remaining: 299, resetMs: 60_000n as unknown as number, retryMs: 0 };
  const invalid = await crmOf(t, { rateLimiter: { take: async () => state } });
  assert.equal(verdict(await invalid.send("GET", "/me", { key })), "500 internal_error");
  assert.match(String(invalid.logged.at(-1)), /^request failed: TypeError: Cannot mix BigInt/);

  const stopped: Clock = Object.assign(new TestClock(), {
    monotonic: () => {
      throw new Error("no clock");
    },
  });
  const rateLimiter = { take: async () => ({ ...state, resetMs: 60_000 }) };
  const still = await crmOf(t, { clock: stopped, onRequest: () => {}, rateLimiter, authFailureLimiter: rateLimiter });
  assert.equal(verdict(await still.send("GET", "/me", { key })), "500 internal_error");
  assert.deepEqual(still.logged, ["request failed: Error: no clock"]);
});

test("a generated ID that isn't valid in a header isn't used as the request ID", async (t) => {
  let ids = sequentialIds();
  const { send } = await crmOf(t, { ids: () => ids() });
  ids = () => "a\r\nset-cookie: x";
  const { headers, status } = await send("GET", "/me", { key });
  assert.equal(status, 200);
  assert.match(headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/);
});

test("a response whose methods the host has broken closes only its own connection", async (t) => {
  const { api } = await crmOf(t, {});
  const listener = toNodeListener(api);
  const server = createServer((incoming, outgoing) => {
    if (incoming.headers["x-broken"] !== undefined) outgoing.writeHead = () => assert.fail("patched");
    listener(incoming, outgoing);
  }).listen(0);
  t.after(() => server.close());
  await once(server, "listening");
  const me = `http://127.0.0.1:${(server.address() as AddressInfo).port}/integrations/v1/me`;
  const statusOf = (headers: Record<string, string>) =>
    fetch(me, { headers: { "x-api-key": key, connection: "close", ...headers } }).then(
      ({ status }) => status,
      () => "cut",
    );
  const pending = [
    statusOf({}),
    statusOf({ "x-broken": "1" }),
    statusOf({}),
    statusOf({ "x-broken": "1" }),
    statusOf({}),
  ];
  assert.deepEqual(await Promise.all(pending), [200, "cut", 200, "cut", 200]);
});

test("callers with undefined members have separate Idempotency-Keys", async (t) => {
  const authenticate = ({ headers }: Request) => {
    const keyId = headers.get("x-who") ?? "";
    const undefinedIds = { integrationId: undefined, userId: undefined } as object;
    return { tenantId: one.id, scopes: ["tasks:write"], keyId, ...undefinedIds };
  };
  const { send } = await crmOf(t, { authenticate });
  const titled = (who: string): Sent => ({
    body: { title: "Call" },
    headers: { "x-who": who, "idempotency-key": "0197b0c4-5d2e-7f31-9a64-8e1f0c2b7d53" },
  });
  const [a, b, again] = [
    await send("POST", "/tasks", titled("a")),
    await send("POST", "/tasks", titled("b")),
    await send("POST", "/tasks", titled("a")),
  ];
  assert.notEqual(dataOf<{ id: string }>(a, 201).id, dataOf<{ id: string }>(b, 201).id);
  assert.equal(again.text, a.text);
});
