import assert from "node:assert/strict";
import { generateKeyPairSync, type JsonWebKey } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, type TestContext, test } from "node:test";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { adminAuth, adminUrl, crmWith } from "../../support/admin.ts";
import { verdict } from "../../support/responses.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { issuer, audience } = adminAuth;

const algorithms = ["RS256", "ES256", "EdDSA"] as const;
type Algorithm = (typeof algorithms)[number];
const signers = new Map(
  await Promise.all(algorithms.map(async (alg) => [alg, await generateKeyPair(alg, { extractable: true })] as const)),
);
const others = await Promise.all(
  algorithms.map((alg) => generateKeyPair(alg, { extractable: true }).then((pair) => exportJWK(pair.privateKey))),
);
const good = await Promise.all([...signers.values()].map(({ publicKey }) => exportJWK(publicKey)));
const [rsa, elliptic, edwards] = good;

const toJwk = (pair: { publicKey: { export(options: { format: "jwk" }): JsonWebKey } }): JsonWebKey =>
  pair.publicKey.export({ format: "jwk" });
const weak = toJwk(generateKeyPairSync("rsa", { modulusLength: 1024 }));

/** Entries of a JWKS that can't verify a token. The names are those of the tests. */
const unusable: Readonly<Record<string, readonly unknown[]>> = {
  "an RSA key of 1024 bits": [weak, { ...weak, use: "sig", alg: "RS256" }],
  "keys that are no keys": [null, 5, "key", [], {}, { kty: 5 }, { kty: "constructor" }, { kty: "__proto__" }],
  "keys of other types": [
    { kty: "oct", k: "c2VjcmV0LW9mLXRoaXJ0eS10d28tYnl0ZXMtLS0tLS0" },
    { kty: "AKP", alg: "ML-DSA-44", pub: "AAAA" },
    { kty: "RSA", n: null, e: {} },
    toJwk(generateKeyPairSync("ec", { namedCurve: "P-384" })),
    toJwk(generateKeyPairSync("ec", { namedCurve: "secp256k1" })),
    toJwk(generateKeyPairSync("x25519")),
  ],
  "keys with damaged members": [
    { ...rsa, n: undefined },
    { ...rsa, n: 5 },
    { ...rsa, e: "?" },
    { ...elliptic, x: "AAAA" },
    { ...elliptic, crv: null },
    { ...edwards, x: "" },
    { ...rsa, key_ops: ["verify", "deriveBits"] },
    { ...edwards, ext: "yes" },
  ],
  "private keys": others,
};

let jwks: unknown;
const server = createServer((_, response) => response.end(JSON.stringify(jwks)));
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
after(() => {
  server.close();
  server.closeAllConnections();
});

/** Sends a valid token of each algorithm to a server that has just started and gets these keys. */
async function verdicts(t: TestContext, keys: readonly unknown[], kid?: string): Promise<readonly string[]> {
  jwks = { keys };
  const { clock, send } = await crmWith(t, [tenantFile(one)], { adminAuth: { issuer, audience, jwksUrl } });
  const claims = { iss: issuer, aud: audience, sub: one.admin, tenantId: one.id, exp: clock.now() / 1000 + 60 };
  const all = algorithms.map(async (alg: Algorithm) => {
    const header = { alg, ...(kid !== undefined && { kid }) };
    const signer = signers.get(alg) ?? assert.fail(alg);
    const token = await new SignJWT(claims).setProtectedHeader(header).sign(signer.privateKey);
    return verdict(await send("GET", `${adminUrl}/api-key`, { headers: { authorization: `Bearer ${token}` } }));
  });
  return Promise.all(all);
}

const accepted = ["200", "200", "200"];
const rejected = ["401 unauthorized", "401 unauthorized", "401 unauthorized"];

for (const [what, keys] of Object.entries(unusable)) {
  test(`a valid token without kid is accepted if the JWKS starts with ${what}`, async (t) => {
    assert.deepEqual(await verdicts(t, [...keys, ...good]), accepted);
  });

  test(`a token returns 401 unauthorized if the JWKS contains only ${what}`, async (t) => {
    for (const key of keys) assert.deepEqual(await verdicts(t, [key]), rejected, JSON.stringify(key));
    assert.deepEqual(await verdicts(t, keys), rejected);
  });

  test(`a valid token is accepted if the JWKS has ${what} with its kid`, async (t) => {
    const named = [...keys, ...good].map((key) => (typeof key === "object" && key ? { ...key, kid: "main" } : key));
    assert.deepEqual(await verdicts(t, named, "main"), accepted);
  });
}

test("a token returns 401 unauthorized if the JWKS has no keys", async (t) => {
  assert.deepEqual(await verdicts(t, []), rejected);
});
