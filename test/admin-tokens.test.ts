import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { beforeEach, test } from "node:test";
import { createApi, type Endpoint } from "../lib/index.ts";
import { adminAuth, adminUrl, crmWith, tokenFor } from "./admin.ts";
import { verdict } from "./answers.ts";
import { type Result, type Sent, send } from "./harness.ts";
import { tenantFile, testTenant } from "./tenants.ts";

const one = testTenant(1);
const two = testTenant(2);
/** With letters in its ids. */
const three = {
  ...testTenant(3),
  id: "0195abcd-0000-7000-9000-00000000000f",
  admin: "0195abcd-0000-7000-9001-00000000000f",
};
const archived = { id: "01950001-0000-7000-9001-00000000000a", archivedAt: "2026-02-01T00:00:00Z" };
const inactive = { id: "01950001-0000-7000-9001-00000000000b", active: false };

/** Tenant 1 with two more administrators, who were one once. */
function file(): Record<string, unknown> {
  const { users, ...rest } = tenantFile(one) as { users: unknown[] };
  const gone = [archived, inactive].map((user, index) => {
    return { name: "Gone", email: `gone-${index}@tenant.test`, role: "admin", ...user };
  });
  return { ...rest, users: [...users, ...gone] };
}

const crm = await crmWith({ after: () => {} }, [file(), tenantFile(two), tenantFile(three)]);
const { api, clock } = crm;
const admins = api.endpoints.filter(({ access }) => access === "admin");
const integrations = api.endpoints.filter(({ access }) => access !== "admin");
const good = (): Promise<string> => tokenFor(crm, one.id, one.admin);

/** Failed authentication is limited by the minute, and tokens are tested at many endpoints. */
beforeEach(() => clock.advance(60_000));

/** At an id that nobody has, so that what is let in has no effect that matters. */
function ask(endpoint: Endpoint, sent: Sent, from = crm.api): Promise<Result> {
  const path = endpoint.path.replace(":id", "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11");
  return send(from, endpoint.method, (endpoint.access === "admin" ? adminUrl : "") + path, sent);
}

const bearer = (token: string): Sent => ({ headers: { authorization: `Bearer ${token}` } });
const seconds = (more: number): number => clock.now() / 1000 + more;

type Forgery = {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  /** What signs: the hash, and the secret. No signature where it is null. */
  readonly hash?: "sha256" | "sha384" | "sha512" | null;
  readonly secret?: Uint8Array;
};

/** A token that is good but for what is said; a claim that is undefined is left out. */
function forged({ claims, header, hash = "sha256", secret = adminAuth.secret }: Forgery): Sent {
  const { issuer: iss, audience: aud } = adminAuth;
  const payload = { iss, aud, sub: one.admin, tenantId: one.id, exp: seconds(60), ...claims };
  const parts = [{ alg: "HS256", ...header }, payload].map((part) => {
    return Buffer.from(JSON.stringify(part)).toString("base64url");
  });
  const seal = hash === null ? "" : createHmac(hash, secret).update(parts.join(".")).digest("base64url");
  return bearer([...parts, seal].join("."));
}

/** What opens no administrators' endpoint: who it is, is not known. */
const unknown: Readonly<Record<string, () => Sent | Promise<Sent>>> = {
  nothing: () => ({}),
  "an API key": () => ({ key: one.key }),
  "an API key as Bearer": () => bearer(one.key),
  "a token in x-api-key": async () => ({ key: await good() }),
  "a token without a scheme": async () => ({ headers: { authorization: await good() } }),
  "a token as Basic": async () => ({ headers: { authorization: `Basic ${await good()}` } }),
  garbage: () => bearer("garbage"),
  "three parts of garbage": () => bearer("eyJh.eyJz.c2ln"),
  "an expired token": () => forged({ claims: { exp: seconds(0) } }),
  "a token that is not valid yet": () => forged({ claims: { nbf: seconds(1) } }),
  "another issuer's token": () => forged({ claims: { iss: "https://else.test" } }),
  "a token for another audience": () => forged({ claims: { aud: "crm-user" } }),
  ...Object.fromEntries(
    ["exp", "sub", "tenantId", "iss", "aud"].map((name) => [
      `a token without ${name}`,
      () => forged({ claims: { [name]: undefined } }),
    ]),
  ),
  "a token whose sub is no uuid": () => forged({ claims: { sub: "ana@tenant.test" } }),
  "a token whose tenantId is a list": () => forged({ claims: { tenantId: [one.id] } }),
  "a token signed with another secret": () => forged({ secret: new Uint8Array(32) }),
  "a token signed with the secret by HS384": () => forged({ header: { alg: "HS384" }, hash: "sha384" }),
  "a token signed with the secret by HS512": () => forged({ header: { alg: "HS512" }, hash: "sha512" }),
  "a token of alg none": () => forged({ header: { alg: "none" }, hash: null }),
  "a token of alg None that is signed": () => forged({ header: { alg: "None" } }),
  "a token without alg": () => forged({ header: { alg: undefined } }),
  "a token without signature": () => forged({ hash: null }),
  "a token that brings its own key": () => {
    const jwk = { kty: "oct", k: Buffer.alloc(32).toString("base64url") };
    return forged({ header: { jwk }, secret: new Uint8Array(32) });
  },
};

for (const [what, sent] of Object.entries(unknown)) {
  test(`administrators' endpoints answer 401 to ${what}`, async () => {
    for (const endpoint of admins) {
      const result = await ask(endpoint, await sent());
      assert.equal(verdict(result), "401 unauthorized", endpoint.name);
      assert.match(result.headers.get("www-authenticate") ?? "", /^Bearer realm="crm-integrations admin"/);
    }
  });
}

/** Who is known, and is no active administrator of the tenant that the token names. */
const known: Readonly<Record<string, Forgery["claims"] & {}>> = {
  "a member": { sub: one.member },
  "an inactive member": { sub: one.inactive },
  "an inactive administrator": { sub: inactive.id },
  "an archived administrator": { sub: archived.id },
  "another tenant's administrator": { sub: two.admin },
  "an administrator in another tenant": { tenantId: two.id },
  "a user whom nobody knows": { sub: "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11" },
  "a tenant that nobody knows": { tenantId: "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11" },
  "a member who says of himself that he is one": { sub: one.member, role: "admin", scopes: ["admin"] },
};

for (const [what, claims] of Object.entries(known)) {
  test(`administrators' endpoints answer 403 to the token of ${what}`, async () => {
    for (const endpoint of admins) {
      const result = await ask(endpoint, forged({ claims }));
      const message = "This needs a user who is an active administrator of the tenant.";
      const error = { code: "insufficient_scope", message, details: { required: "admin" } };
      assert.deepEqual([result.status, result.body], [403, { error }], endpoint.name);
    }
  });
}

test("an active administrator's token opens each, ids in capitals and one audience of many too", async () => {
  const capitals = { sub: three.admin.toUpperCase(), tenantId: three.id.toUpperCase(), aud: ["crm", "crm-admin"] };
  for (const endpoint of admins) {
    for (const claims of [{}, capitals]) {
      const result = await ask(endpoint, forged({ claims }));
      assert.ok(["200", "201", "404 not_found", "409 conflict"].includes(verdict(result)), result.text);
    }
  }
});

test("a token works until the second it expires at, and no longer than its user is an active administrator", async () => {
  const sent = forged({ claims: { exp: seconds(60) } });
  const [list] = admins as [Endpoint];
  clock.advance(59_000);
  assert.equal((await ask(list, sent)).status, 200);
  clock.advance(1_000);
  assert.equal(verdict(await ask(list, sent)), "401 unauthorized");

  const user = await crm.storage.get(two.id, "user", two.admin);
  assert.ok(user);
  const theirs = bearer(await tokenFor(crm, two.id, two.admin));
  assert.equal((await ask(list, theirs)).status, 200);
  await crm.storage.commit(two.id, clock.now(), (at) => [
    { op: "update", kind: "user", record: { ...user, role: "member", updatedAt: at }, was: user.updatedAt },
  ]);
  assert.equal(verdict(await ask(list, theirs)), "403 insufficient_scope");
});

test("an administrator's token opens no integration endpoint, in either header", async () => {
  for (const endpoint of integrations) {
    for (const sent of [bearer(await good()), { key: await good() }]) {
      clock.advance(1_000);
      const { status, body } = await ask(endpoint, sent);
      const message = "A user's token does not open integration endpoints; send the integration's API key.";
      assert.deepEqual([status, body], [401, { error: { code: "unauthorized", message } }], endpoint.name);
    }
  }
});

test("without adminAuth the endpoints answer 401 to every token", async () => {
  const closed = createApi({ storage: crm.storage, clock });
  for (const endpoint of admins) {
    const result = await ask(endpoint, bearer(await good()), closed);
    const message = "This server is not set up for administrators' tokens.";
    assert.deepEqual([result.status, result.body], [401, { error: { code: "unauthorized", message } }]);
  }
});

test("adminAuth takes a secret of 32 bytes or more, or a JWKS address, and not both", () => {
  const { issuer, audience, secret } = adminAuth;
  const jwksUrl = "http://127.0.0.1/jwks";
  for (const rest of [{}, { secret: secret.subarray(1) }, { secret, jwksUrl }]) {
    assert.throws(() => createApi({ storage: crm.storage, adminAuth: { issuer, audience, ...rest } }), TypeError);
  }
});
