import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { Forge, Forgeries, ValidToken } from "./forged-tokens.ts";
import { encoded, hmac, type Sign, token } from "./token-signers.ts";

/** Tokens signed by the attacker's key of the right algorithm, with additional header members. */
function withHeaders(...all: readonly ((good: ValidToken) => Readonly<Record<string, unknown>>)[]): Forge {
  return (good) => {
    const headers = all.map((more) => ({ ...good.header, ...more(good) }));
    return headers.map((header) => token(good.signer.forger.sign, header, good.claims));
  };
}

/** Tokens signed by HMAC with these secrets, with any kid. */
function withSecrets(
  good: ValidToken,
  secrets: readonly (string | Uint8Array)[],
  kids: readonly unknown[] = [undefined],
): string[] {
  return kids.flatMap((kid) => {
    return secrets.map((secret) => token(hmac(secret), { ...good.header, alg: "HS256", kid }, good.claims));
  });
}

/** Tokens that name another algorithm and are signed with it. */
function withAlgorithm(good: ValidToken, alg: string, by: Sign): string[] {
  return [good.header, {}].map((header) => token(by, { ...header, alg }, good.claims));
}

/** Forms of a public key that implementations have mistaken for a secret. */
function formsOf(key: KeyObject): (string | Uint8Array)[] {
  const pem = String(key.export({ type: "spki", format: "pem" }));
  const jwk = key.export({ format: "jwk" });
  const numbers = [jwk.n, jwk.x].filter((number) => number !== undefined);
  const der = key.export({ type: "spki", format: "der" });
  const texts = [
    pem,
    pem.trim(),
    pem.replaceAll("\n", "\r\n"),
    pem.replace(/-----[^-]+-----|\s/g, ""),
    JSON.stringify(jwk),
  ];
  return [...texts, der, ...numbers, ...numbers.map((number) => Buffer.from(number, "base64url"))];
}

/** Numbers that a P-256 signature must not have: zero, one, the order of the curve, and larger ones. */
const order = Buffer.from("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", "hex");
const [zero, one, beyond] = [Buffer.alloc(32), Buffer.alloc(32).fill(1, 31), Buffer.alloc(32, 255)];
const numbers = [zero, one, order, beyond];

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" });
const by =
  (hash: string, key: KeyObject): Sign =>
  (input) => {
    return sign(hash, Buffer.from(input), { key, dsaEncoding: "ieee-p1363" });
  };

/** Values of kid that attack a file name, a query or an address. */
const ways = ["../../../../dev/null", "/dev/null", "/proc/sys/kernel/randomize_va_space", "file:///dev/null"];
const injections = [
  "x' UNION SELECT 'k' --",
  "https://else.test/key",
  "|whoami",
  "__proto__",
  "constructor",
  "",
  " ",
  "*",
];
const odd = [0, null, true, [], {}, ["ES256"], "k".repeat(5_000)];

/** Tokens with a wrong key or algorithm. */
export const forgedKeys: Forgeries = {
  "another key of the same algorithm": withHeaders(
    () => ({}),
    () => ({ kid: undefined }),
    () => ({ kid: "unknown" }),
  ),
  "no algorithm": (good) => {
    return ["none", "None", "NONE", "nOnE", ""].flatMap((alg) => {
      const [header, payload, seal] = token(good.signer.sign, { ...good.header, alg }, good.claims).split(".");
      return [`${header}.${payload}.`, `${header}.${payload}.${seal}`, `${header}.${payload}`];
    });
  },
  "a missing or malformed algorithm": (good) => {
    const { alg } = good.signer.header;
    const names = [undefined, null, alg.toLowerCase(), ` ${alg}`, [alg], { alg }, 256, "HMACSHA256", "toString"];
    return names.map((each) => token(good.signer.sign, { ...good.header, alg: each }, good.claims));
  },
  "HMAC by a secret that is easily guessed": (good) => {
    const secrets = [
      "",
      "\0",
      "secret",
      "password",
      "changeme",
      "your-256-bit-secret",
      "crm-integrations",
      Buffer.alloc(32),
    ];
    return withSecrets(good, [
      ...secrets,
      String(good.claims.iss),
      String(good.claims.aud),
      String(good.claims.tenantId),
    ]);
  },
  "HMAC by the public key, in whatever form": (good) => {
    const { known, auth } = good.signer;
    return withSecrets(good, known === undefined ? [String(auth.audience)] : formsOf(known), [
      undefined,
      good.header.kid,
      "x",
    ]);
  },
  "an algorithm of key pairs, by a key of one's own": (good) => {
    const named = { RS256: "sha256", RS384: "sha384", RS512: "sha512", ES384: "sha384", ES256K: "sha256" };
    return Object.entries(named).flatMap(([alg, hash]) => {
      return withAlgorithm(good, alg, by(hash, alg.startsWith("RS") ? rsa.privateKey : p384.privateKey));
    });
  },
  "the right key, by an algorithm that is not taken": ({ signer, ...good }) =>
    signer.otherwise.flatMap(({ alg, sign }) => {
      return withAlgorithm({ signer, ...good }, alg, sign);
    }),
  "the right key under another's name": (good) => {
    const kids = ["RS256", "ES256", "EdDSA"].filter((kid) => kid !== good.header.kid);
    const algs = kids.map((alg) => token(good.signer.sign, { ...good.header, alg }, good.claims));
    const named = kids.map((kid) => token(good.signer.sign, { ...good.header, kid }, good.claims));
    return good.signer.known === undefined ? algs : [...algs, ...named];
  },
  "a signature of numbers that everybody knows": ({ token }) => {
    const [header, payload] = token.split(".");
    return numbers.flatMap((r) => numbers.map((s) => `${header}.${payload}.${encoded(Buffer.concat([r, s]))}`));
  },
  "a signature in ASN.1": ({ token, signer }) => {
    const [header, payload, seal = ""] = token.split(".");
    const bytes = Buffer.from(seal, "base64url");
    const half = bytes.length / 2;
    const whole = (part: Buffer): Buffer => Buffer.concat([Buffer.from([2, half + 1, 0]), part]);
    const list = [whole(bytes.subarray(0, half)), whole(bytes.subarray(half))];
    const inside = Buffer.concat(list);
    const der = Buffer.concat([Buffer.from([0x30, inside.length]), inside]);
    return signer.header.alg === "ES256" ? [`${header}.${payload}.${encoded(der)}`] : [];
  },
  "a key that comes along": withHeaders(
    ({ signer: { forger } }) => ({ jwk: forger.jwk }),
    ({ signer: { forger } }) => ({ jwk: forger.jwk, kid: undefined }),
    ({ signer: { forger } }) => ({ x5c: [encoded(JSON.stringify(forger.jwk))], x5t: "AAAA" }),
  ),
  "an address where the key is": withHeaders(
    () => ({ jku: "https://else.test/keys" }),
    () => ({ jku: "data:application/json,%7B%22keys%22%3A%5B%5D%7D", kid: undefined }),
    ({ signer: { auth } }) => ({ jku: `${auth.jwksUrl ?? auth.issuer}/../else`, x5u: "https://else.test/cert" }),
  ),
  "a kid that leads to a file": (good) => withSecrets(good, ["", "\0", "0\n", "1\n", "2\n"], ways),
  "a kid that is SQL, an address or a command": (good) => withSecrets(good, ["k", "", "x"], injections),
  "a kid that is no name": withHeaders(...odd.map((kid) => () => ({ kid }))),
};
