import assert from "node:assert/strict";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, type TestContext, test } from "node:test";
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from "jose";
import { adminAuth, adminUrl, crmWith } from "../../support/admin.ts";
import type { Result, TestCrm } from "../../support/harness.ts";
import { verdict } from "../../support/responses.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { issuer, audience } = adminAuth;

/** The keys of the sign-in service by algorithm, which is also their `kid`. */
const pairs = Object.fromEntries(
  await Promise.all(["RS256", "ES256", "EdDSA"].map(async (alg) => [alg, await generateKeyPair(alg)] as const)),
);
const { RS256: rsa, ES256: elliptic, EdDSA: edwards } = pairs;
assert.ok(rsa && elliptic && edwards);
const jwks = Object.entries(pairs).map(async ([kid, { publicKey }]) => ({ ...(await exportJWK(publicKey)), kid }));
const keys = await Promise.all(jwks);
const ours = (response: ServerResponse): unknown => response.end(JSON.stringify({ keys }));

/** The responses of the sign-in service. */
let respond = ours;
const server = createServer((_, response) => respond(response));
const jwksUrl = await listening(server);

async function listening(which: Server): Promise<string> {
  await new Promise<void>((resolve) => which.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(which.address() as AddressInfo).port}/keys`;
}

after(() => {
  server.close();
  server.closeAllConnections();
});

/** Returns a new API each time, because an API caches what it fetched. */
function start(t: TestContext, url = jwksUrl): Promise<TestCrm> {
  return crmWith(t, [tenantFile(one)], { adminAuth: { issuer, audience, jwksUrl: url } });
}

/** Sends a valid token of the admin with this header, signed with this key. */
async function send(
  crm: TestCrm,
  header: JWTHeaderParameters,
  key: Parameters<SignJWT["sign"]>[0],
  more: Readonly<Record<string, unknown>> = {},
): Promise<Result> {
  const exp = crm.clock.now() / 1000 + 60;
  const claims = { iss: issuer, aud: audience, sub: one.admin, tenantId: one.id, exp, ...more };
  const token = await new SignJWT(claims).setProtectedHeader(header).sign(key);
  return crm.send("GET", `${adminUrl}/api-key`, { headers: { authorization: `Bearer ${token}` } });
}

test("tokens signed with RS256, ES256 or EdDSA are accepted, with or without kid", async (t) => {
  respond = ours;
  const crm = await start(t);
  for (const [alg, { privateKey }] of Object.entries(pairs)) {
    assert.equal((await send(crm, { alg, kid: alg }, privateKey)).status, 200, alg);
    assert.equal((await send(crm, { alg }, privateKey)).status, 200, alg);
  }
});

test("the right one of several keys with one algorithm is found, with a kid, without and with equal kids", async (t) => {
  respond = ours;
  const more = await Promise.all(["ES256", "ES256", "ES256"].map((alg) => generateKeyPair(alg)));
  const published = await Promise.all(more.map(({ publicKey }) => exportJWK(publicKey)));
  const kids = ["old", "new", "new"];
  const body = JSON.stringify({ keys: [...keys, ...published.map((jwk, index) => ({ ...jwk, kid: kids[index] }))] });
  respond = (response) => response.end(body);
  const crm = await start(t);
  for (const [index, { privateKey }] of more.entries()) {
    assert.equal((await send(crm, { alg: "ES256", kid: kids[index] ?? "" }, privateKey)).status, 200, kids[index]);
    assert.equal((await send(crm, { alg: "ES256" }, privateKey)).status, 200, `${kids[index]}, without a kid`);
  }
  const { privateKey } = await generateKeyPair("ES256");
  for (const header of [{ alg: "ES256" }, { alg: "ES256", kid: "new" }, { alg: "ES256", kid: "old" }]) {
    assert.equal(verdict(await send(crm, header, privateKey)), "401 unauthorized");
  }
  const [{ privateKey: first } = elliptic] = more;
  const over = { exp: crm.clock.now() / 1000 - 1 };
  assert.equal(verdict(await send(crm, { alg: "ES256" }, first, over)), "401 unauthorized", "its exp is in the past");
});

test("an unreachable JWKS address returns 503 with Retry-After, and never 401", async (t) => {
  respond = ours;
  const gone = createServer();
  const url = await listening(gone);
  await new Promise((resolve) => gone.close(resolve));
  const crm = await start(t, url);
  for (let count = 0; count < 70; count++) {
    const result = await send(crm, { alg: "EdDSA", kid: "EdDSA" }, edwards.privateKey);
    assert.deepEqual([verdict(result), result.headers.get("retry-after")], ["503 internal_error", "5"]);
  }
});

test("the 503 for an unavailable JWKS contains the request ID", async (t) => {
  respond = ours;
  respond = (response) => response.destroy();
  const result = await send(await start(t), { alg: "EdDSA" }, edwards.privateKey);
  const requestId = result.headers.get("x-request-id");
  const message = "The keys of the sign-in service can't be fetched. Retry later.";
  const error = { code: "internal_error", message, details: { requestId } };
  assert.deepEqual([result.status, result.body], [503, { error }]);
});

const broken: Readonly<Record<string, typeof respond>> = {
  "a fault of its own": (response) => response.writeHead(500).end("oops"),
  "that it is overloaded": (response) => response.writeHead(503).end(),
  "that the keys moved": (response) => response.writeHead(302, { location: "/else" }).end(),
  "a page in place of keys": (response) => response.end("<html>Maintenance</html>"),
  "JSON that is no key set": (response) => response.end("{}"),
  "half of its keys, and hangs up": (response) => {
    response.writeHead(200, { "content-length": "500" }).write('{"keys":[');
    response.destroy();
  },
};
for (const [what, how] of Object.entries(broken)) {
  test(`a valid token returns 503 if the JWKS address returns ${what}`, async (t) => {
    respond = ours;
    const crm = await start(t);
    respond = how;
    assert.equal(verdict(await send(crm, { alg: "RS256", kid: "RS256" }, rsa.privateKey)), "503 internal_error");
    respond = ours;
    assert.equal((await send(crm, { alg: "RS256", kid: "RS256" }, rsa.privateKey)).status, 200);
  });
}

test("fetched JWKS keys stay valid while the JWKS address is unreachable", async (t) => {
  respond = ours;
  const crm = await start(t);
  assert.equal((await send(crm, { alg: "ES256", kid: "ES256" }, elliptic.privateKey)).status, 200);
  respond = (response) => response.destroy();
  assert.equal((await send(crm, { alg: "EdDSA", kid: "EdDSA" }, edwards.privateKey)).status, 200);
});
