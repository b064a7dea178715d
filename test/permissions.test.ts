import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, beforeEach, test } from "node:test";
import { makeApiKey } from "../lib/auth/api-key.ts";
import type { Endpoint } from "../lib/index.ts";
import { verdict } from "./answers.ts";
import { type Result, type Sent, testCrm } from "./harness.ts";
import { testTenant } from "./tenants.ts";

const one = testTenant(1);
const two = testTenant(2);
const { send, api, clock } = await testCrm([one, two]);
const unknown = "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11";
const nobodysKey = makeApiKey("live", randomBytes);
const token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbmEifQ.c2lnbmF0dXJl";
/** A value for each parameter that an endpoint may need before it knows which scope to ask for. */
const samples: Readonly<Record<string, string>> = { entity: "account" };

beforeEach(() => clock.advance(60_000));
after(() => api.close());

/** The endpoint's path with an id that nobody has; its body is empty, so that no request has an effect. */
function ask(endpoint: Endpoint, sent: Sent): Promise<Result> {
  const query = Object.keys(endpoint.query).flatMap((name) => (name in samples ? [`${name}=${samples[name]}`] : []));
  const path = endpoint.path.replace(/:\w+/g, unknown) + (query.length > 0 ? `?${query.join("&")}` : "");
  const base = endpoint.access === "admin" ? "http://crm.test/integrations" : "";
  return send(endpoint.method, base + path, { ...sent, ...(endpoint.body === undefined ? {} : { body: {} }) });
}

/** What the endpoint says to those who may call it, whatever it thinks of an empty request. */
function isLetIn({ status }: Result): boolean {
  return [200, 201, 204, 400, 404].includes(status);
}

const bearer = (credential: string): Sent => ({ headers: { authorization: `Bearer ${credential}` } });

/** What opens no endpoint of an integration. */
const strangers: Readonly<Record<string, Sent>> = {
  "no key": {},
  "an empty key": { headers: { "x-api-key": "" } },
  "a malformed key": { key: "crm_test_x" },
  "a key with a wrong checksum": { key: `${one.key.slice(0, -1)}${one.key.endsWith("0") ? "1" : "0"}` },
  "a well-formed key that nobody has": { key: nobodysKey },
  "a revoked key": { key: one.revokedKey },
  "a revoked key as Bearer": bearer(one.revokedKey),
  "an expired key": { key: one.expiredKey },
  "two different keys of one integration": { key: one.key, ...bearer(one.secondKey) },
  "the keys of two tenants": { key: one.key, ...bearer(two.key) },
  "a key and a token": { key: one.key, ...bearer(token) },
  "a token as Bearer": bearer(token),
  "a token as x-api-key": { key: token },
  "a key as Basic": { headers: { authorization: `Basic ${Buffer.from(`${one.key}:`).toString("base64")}` } },
  "a key without a scheme": { headers: { authorization: one.key } },
  "two keys in one header": { key: `${one.key}, ${one.secondKey}` },
};

const integrations = api.endpoints.filter(({ access }) => access !== "admin");

for (const endpoint of integrations) {
  const scope = typeof endpoint.scope === "function" ? endpoint.scope(samples) : endpoint.scope;

  for (const [what, sent] of Object.entries(strangers)) {
    test(`${endpoint.name} is closed to ${what}`, async () => {
      const result = await ask(endpoint, sent);
      assert.equal(verdict(result), "401 unauthorized");
      assert.match(result.headers.get("www-authenticate") ?? "", /^Bearer realm="crm-integrations"/);
    });
  }

  test(`${endpoint.name} is open to a key in x-api-key, as Bearer and in both`, async () => {
    for (const key of [one.key, one.secondKey, two.key]) {
      const plain = await ask(endpoint, { key });
      assert.ok(isLetIn(plain), plain.text);
      for (const sent of [bearer(key), { headers: { authorization: `bearer  ${key}` } }, { key, ...bearer(key) }]) {
        assert.equal(verdict(await ask(endpoint, sent)), verdict(plain));
      }
    }
  });

  test(`${endpoint.name} ${scope === undefined ? "needs no scope" : `needs the scope ${scope}`}`, async () => {
    const bare = await ask(endpoint, { key: one.bareKey });
    const reader = await ask(endpoint, { key: one.readKey });
    if (scope === undefined) {
      assert.ok(isLetIn(bare), bare.text);
      return;
    }
    const details = { required: scope, granted: [] };
    assert.deepEqual([bare.status, (bare.body as { error: unknown }).error], [403, refusal(scope, details)]);
    if (scope === "tasks:read") assert.ok(isLetIn(reader), reader.text);
    else assert.equal(verdict(reader), "403 insufficient_scope");
  });
}

for (const endpoint of api.endpoints.filter(({ access }) => access === "admin")) {
  for (const [what, sent] of Object.entries({
    ...strangers,
    "an API key": { key: one.key },
    "an API key as Bearer": bearer(one.key),
  })) {
    test(`${endpoint.name}, for administrators, is closed to ${what}`, async () => {
      assert.equal(verdict(await ask(endpoint, sent)), "401 unauthorized");
    });
  }
}

test("every operation has a name of its own; GET takes a scope to read, PATCH and DELETE one to write", () => {
  const names = api.endpoints.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  const needed: Readonly<Record<string, RegExp>> = { GET: /:read$/, PATCH: /:write$/, DELETE: /:write$/ };
  for (const { name, method, scope } of integrations) {
    if (typeof scope === "string") assert.match(scope, needed[method] ?? /:(?:read|write)$/, name);
  }
});

function refusal(scope: string, details: unknown): unknown {
  const message = `This operation needs the scope ${scope}, which the integration of this key does not have.`;
  return { code: "insufficient_scope", message, details };
}
