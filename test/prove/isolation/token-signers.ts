import {
  constants,
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { AdminAuth } from "../../../lib/index.ts";

/** Signs the first two parts of a token. */
export type Sign = (input: string) => Buffer;

/** A signature algorithm of a sign-in service: the headers of its tokens, its signature, its configuration. */
export type Signer = {
  readonly header: { readonly alg: string; readonly kid?: string };
  readonly sign: Sign;
  /** An attacker's key for the same algorithm: its signature, and its public part. */
  readonly forger: { readonly sign: Sign; readonly jwk: JsonWebKey };
  /** The right key with algorithms that aren't accepted. */
  readonly otherwise: readonly { readonly alg: string; readonly sign: Sign }[];
  readonly auth: AdminAuth;
  /** The public key, if there is one. */
  readonly known?: KeyObject;
};

export const [issuer, audience] = ["https://sign-in.test", "crm-admin"];

/** Returns a token: the first two parts as JSON (texts and bytes are taken as JSON), the third from the signer. */
export function token(sign: Sign, header: unknown, payload: unknown): string {
  const written = (part: unknown): boolean => typeof part === "string" || part instanceof Uint8Array;
  const input = [header, payload].map((part) => encoded(written(part) ? (part as string) : JSON.stringify(part)));
  return `${input.join(".")}.${sign(input.join(".")).toString("base64url")}`;
}

export function encoded(bytes: string | Uint8Array): string {
  return Buffer.from(bytes as string).toString("base64url");
}

export const hmac = (secret: Uint8Array | string, hash = "sha256"): Sign => {
  return (input) => createHmac(hash, secret).update(input).digest();
};

type Pair = { readonly publicKey: KeyObject; readonly privateKey: KeyObject };

/** Key generation and signature of each algorithm of key pairs. */
const pairs: Readonly<Record<string, { readonly make: () => Pair; readonly by: (pair: Pair) => Sign }>> = {
  RS256: {
    make: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
    by:
      ({ privateKey }) =>
      (input) =>
        sign("sha256", Buffer.from(input), privateKey),
  },
  ES256: {
    make: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
    by:
      ({ privateKey: key }) =>
      (input) =>
        sign("sha256", Buffer.from(input), { key, dsaEncoding: "ieee-p1363" }),
  },
  EdDSA: {
    make: () => generateKeyPairSync("ed25519"),
    by:
      ({ privateKey }) =>
      (input) =>
        sign(null, Buffer.from(input), privateKey),
  },
};

/** A sign-in service that publishes a key for each algorithm, with the algorithm as `kid`, and a shared secret. */
export async function openSignIn(): Promise<{ readonly signers: readonly Signer[]; readonly close: () => void }> {
  const keys = Object.entries(pairs).map(([alg, { make, by }]) => ({ alg, by, pair: make(), other: make() }));
  const published = keys.map(({ alg, pair }) => ({ ...pair.publicKey.export({ format: "jwk" }), kid: alg }));
  const server = createServer((_, response) => response.end(JSON.stringify({ keys: published })));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  const secret = randomBytes(32);
  const forgers = randomBytes(32);
  const shared: Signer = {
    header: { alg: "HS256" },
    sign: hmac(secret),
    forger: { sign: hmac(forgers), jwk: { kty: "oct", k: forgers.toString("base64url"), alg: "HS256" } },
    otherwise: ["384", "512"].map((bits) => ({ alg: `HS${bits}`, sign: hmac(secret, `sha${bits}`) })),
    auth: { issuer, audience, secret },
  };
  const paired = keys.map(({ alg, by, pair, other }): Signer => {
    const jwk = createPublicKey(other.privateKey).export({ format: "jwk" });
    const forger = { sign: by(other), jwk: { ...jwk, alg, use: "sig", kid: alg } };
    const otherwise = alg === "RS256" ? rsaOtherwise(pair) : [];
    const auth = { issuer, audience, jwksUrl };
    return { header: { alg, kid: alg }, sign: by(pair), forger, otherwise, auth, known: pair.publicKey };
  });
  return {
    signers: [shared, ...paired],
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** RSA with longer hashes, and with random padding. */
function rsaOtherwise({ privateKey: key }: Pair): Signer["otherwise"] {
  const { RSA_PKCS1_PADDING, RSA_PKCS1_PSS_PADDING } = constants;
  return ["256", "384", "512"].flatMap((bits) => {
    const by = (padding: number): Sign => {
      const salt = padding === RSA_PKCS1_PSS_PADDING ? { saltLength: Number(bits) / 8 } : {};
      return (input) => sign(`sha${bits}`, Buffer.from(input), { key, padding, ...salt });
    };
    const plain = { alg: `RS${bits}`, sign: by(RSA_PKCS1_PADDING) };
    return [...(bits === "256" ? [] : [plain]), { alg: `PS${bits}`, sign: by(RSA_PKCS1_PSS_PADDING) }];
  });
}
