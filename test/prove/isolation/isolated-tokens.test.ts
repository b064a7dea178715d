import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import { serve } from "../../../lib/http/index.ts";
import { type Api, createApi, type Endpoint, unlimitedRateLimiter } from "../../../lib/index.ts";
import { adminUrl } from "../../support/admin.ts";
import { type Result, testCrm } from "../../support/harness.ts";
import { exchange } from "../../support/raw-http.ts";
import { verdict } from "../../support/responses.ts";
import { testTenant } from "../../support/tenants.ts";
import { figures } from "../size.ts";
import { forgedClaims } from "./forged-claims.ts";
import { forgedForms } from "./forged-encodings.ts";
import { forgedKeys } from "./forged-keys.ts";
import { type Forgeries, type ValidToken, withClaims, withSignedHeaders } from "./forged-tokens.ts";
import { audience, issuer, openSignIn, type Signer, token } from "./token-signers.ts";

/**
 * Sends every known forgery of an admin token, made from a valid token of each algorithm: a shared secret, and each
 * algorithm of a published key. Each must get 401.
 */

const tenant = testTenant(1);
const { storage, clock, api: first } = await testCrm([tenant]);
const signIn = await openSignIn();
const options = { storage, clock, rateLimiter: unlimitedRateLimiter };
const apis = new Map(signIn.signers.map((signer) => [signer, createApi({ ...options, adminAuth: signer.auth })]));
after(async () => {
  for (const api of apis.values()) await api.close();
  signIn.close();
});
const admins = first.endpoints.filter(({ access }) => access === "admin");
const [list] = admins as [Endpoint];
const counted = { forgeries: 0, "forged tokens": 0, "signature algorithms": signIn.signers.length };

function validTokenOf(signer: Signer): ValidToken {
  const now = clock.now() / 1000;
  const claims = { iss: issuer, aud: audience, sub: tenant.admin, tenantId: tenant.id, exp: now + 3600 };
  return { signer, header: signer.header, claims, token: token(signer.sign, signer.header, claims), now };
}

type Sent = Readonly<Record<string, string>>;
let callers = 0;

/** Calls an endpoint with an unknown ID, from a new address, because failed authentication is limited by address. */
async function call(api: Api, endpoint: Endpoint, headers: Sent, more = "", body?: string): Promise<Result> {
  const path = endpoint.path.replace(":id", "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11");
  const json = body === undefined ? {} : { body, headers: { "content-type": "application/json", ...headers } };
  const request = new Request(adminUrl + path + more, { method: endpoint.method, headers, ...json });
  const response = await api.fetch(request, { remoteAddress: String(++callers) });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

/** Whether the token was accepted, whatever else is wrong with the request. */
const isAccepted = ({ status }: Result): boolean => status < 500 && ![401, 403, 429].includes(status);
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

function assertRejected(result: Result, what: string): void {
  assert.equal(verdict(result), "401 unauthorized", what);
  assert.match(result.headers.get("www-authenticate") ?? "", /^Bearer realm="crm-integrations admin"/, what);
}

for (const [signer, api] of apis) {
  test(`a valid ${signer.header.alg} token is accepted by every endpoint in every valid spelling`, async () => {
    const good = validTokenOf(signer);
    const { sub, tenantId } = good.claims;
    const capitals = withClaims({ sub: String(sub).toUpperCase(), tenantId: String(tenantId).toUpperCase() });
    const audiences = withClaims({ aud: ["crm", audience] });
    // iat is informational. nbf controls when a token becomes valid.
    const early = withClaims({ iat: good.now + 86_400 }, { iat: 0, nbf: good.now, jti: "1", role: "member" });
    const last = withClaims({ exp: good.now + 1 }, { exp: 253_402_300_799 }, { exp: good.now + 0.5 });
    const typed = withSignedHeaders({ typ: "JWT" }, { cty: "x" });
    const tokens = [good.token, ...[capitals, audiences, early, last, typed].flatMap((make) => make(good))];
    for (const endpoint of admins) {
      for (const each of tokens) {
        const result = await call(api, endpoint, bearer(each));
        assert.ok(isAccepted(result), `${Buffer.from(each.split(".")[1] ?? "", "base64url")}: ${result.text}`);
      }
      for (const scheme of ["bearer", "BEARER", "Bearer "]) {
        assert.ok(isAccepted(await call(api, endpoint, { authorization: `${scheme} ${good.token}` })));
      }
    }
  });
}

const forgeries: Forgeries = { ...forgedForms, ...forgedClaims, ...forgedKeys };

for (const [what, forge] of Object.entries(forgeries)) {
  counted.forgeries++;

  test(`an admin token is rejected: ${what}`, async () => {
    for (const [signer, api] of apis) {
      const good = validTokenOf(signer);
      const forged = forge(good);
      for (const each of forged) {
        assert.notEqual(each, good.token, what);
        for (const endpoint of forged.length > 100 ? [list] : admins) {
          assertRejected(await call(api, endpoint, bearer(each)), `${signer.header.alg}: ${each.slice(0, 1_000)}`);
          counted["forged tokens"]++;
        }
      }
    }
  });
}

test("an admin token outside the Authorization header or with another scheme is rejected", async () => {
  for (const [signer, api] of apis) {
    const { token } = validTokenOf(signer);
    const schemes = ["", "Basic ", "JWT ", "Token ", "Bearer", "Bearer:", "Bearer, ", "Bearer bearer ", 'Bearer "'];
    const headers = ["x-api-key", "x-access-token", "cookie", "proxy-authorization", "x-forwarded-authorization"];
    for (const endpoint of admins) {
      for (const scheme of schemes)
        assertRejected(await call(api, endpoint, { authorization: scheme + token }), scheme);
      for (const name of headers) assertRejected(await call(api, endpoint, { [name]: `Bearer ${token}` }), name);
      for (const name of ["token", "access_token", "authorization", "jwt"]) {
        assertRejected(await call(api, endpoint, {}, `?${name}=${token}`), name);
        const body = JSON.stringify({ [name]: token });
        if (endpoint.method === "POST") assertRejected(await call(api, endpoint, {}, "", body), name);
      }
    }
  }
});

test("the database decides who is an admin, not the claims of the token", async () => {
  for (const [signer, api] of apis) {
    const roleClaims = {
      role: "admin",
      roles: ["admin"],
      scope: "admin",
      scopes: ["admin"],
      admin: true,
      active: true,
    };
    const [token = ""] = withClaims({ sub: tenant.member, ...roleClaims })(validTokenOf(signer));
    for (const endpoint of admins) {
      assert.equal(verdict(await call(api, endpoint, bearer(token))), "403 insufficient_scope", endpoint.name);
    }
  }
});

/** Starts a server with this API on a free port. */
async function served(t: TestContext, api: Api): Promise<string> {
  const server = await serve(api, { host: "127.0.0.1", port: 0 });
  t.after(() => server.close());
  return server.url;
}

test("two Authorization headers are rejected even if one is valid, and one that is too long gets 431", async (t) => {
  const [[signer, api]] = [...apis] as [[Signer, Api]];
  const url = await served(t, api);
  const { token } = validTokenOf(signer);
  const lines = (...values: readonly string[]) => {
    const headers = values.map((value) => `Authorization: Bearer ${value}\r\n`).join("");
    return `GET /integrations/api-key HTTP/1.1\r\nHost: crm.test\r\nConnection: close\r\n${headers}\r\n`;
  };
  const statusOf = async (...values: readonly string[]) => (await exchange(url, lines(...values)))[0]?.status;
  assert.equal(await statusOf(token), 200);
  assert.equal(await statusOf(token, "x"), 401);
  assert.equal(await statusOf("x", token), 401);
  assert.equal(await statusOf(token, token), 401);
  assert.equal(await statusOf(`${token}${"A".repeat(100_000)}`), 431);
});

test("every forged admin token is rejected", (t) => {
  assert.ok(counted.forgeries >= 40);
  figures(t, "isolated-tokens", counted);
});
