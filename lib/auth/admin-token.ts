import {
  createRemoteJWKSet,
  customFetch,
  errors,
  importJWK,
  type JWK,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
  SignJWT,
} from "jose";
import { ApiError } from "../model/errors.ts";
import { JsonParseError, parseJsonObject } from "../model/parse-json.ts";
import { isUuid } from "../model/scalars.ts";
import { isApiKey } from "./api-key.ts";
import { unauthorizedError } from "./authenticate-key.ts";

/** How admin tokens are verified. Needs either a shared secret (HS256, at least 32 bytes) or the URL of a JWKS. */
export type AdminAuth = {
  readonly issuer: string;
  readonly audience: string;
  readonly secret?: Uint8Array;
  /** URL of a JWKS with keys for RS256, ES256 or EdDSA. */
  readonly jwksUrl?: string;
};

/** The user in an admin token. The database decides whether the user is an admin. */
export type AdminClaims = { readonly tenantId: string; readonly userId: string };

/** Verifies the header `Authorization` at a given time (ms). @throws ApiError `401 unauthorized` */
export type AdminVerifier = (authorization: string | null, now: number) => Promise<AdminClaims>;

const minSecretBytes = 32;
/** The last second of the year 9999. A later time is in milliseconds by mistake, or Infinity (1e999 in JSON). */
const maxExpiry = 253_402_300_799;

/**
 * Creates the verifier of admin tokens.
 * @throws TypeError if the issuer or the audience is empty, the secret is shorter than 32 bytes or no Uint8Array, or
 * both or neither of secret and jwksUrl are given
 */
export function adminVerifier(auth: AdminAuth): AdminVerifier {
  const { key, algorithms } = keyVerification(auth);
  const { issuer, audience } = auth;
  // jose doesn't check the issuer or the audience of a token if its option is undefined.
  for (const [name, value] of Object.entries({ issuer, audience })) {
    if (typeof value !== "string" || value === "") throw new TypeError(`adminAuth.${name} must be a non-empty string`);
  }
  return async (authorization, now) => {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    if (token === undefined)
      throw adminUnauthorizedError("Send an admin token in the header Authorization: Bearer TOKEN.", false);
    if (isApiKey(token)) throw adminUnauthorizedError("API keys aren't accepted here. Send an admin token.", true);
    if (!isCanonicalJwt(token)) throw adminUnauthorizedError("Invalid admin token.", true);
    const options = {
      issuer,
      audience,
      algorithms,
      requiredClaims: ["exp"],
      currentDate: new Date(now),
    };
    const payload = await payloadOf(token, key, options).catch((error: unknown) => {
      if (error instanceof errors.JWTExpired) throw adminUnauthorizedError("Expired admin token. Get a new one.", true);
      throw isInvalidToken(error) ? adminUnauthorizedError("Invalid admin token.", true) : keysUnavailableError(error);
    });
    const { exp, tenantId } = payload;
    const sub: unknown = payload.sub;
    if (exp !== undefined && exp > maxExpiry) {
      throw adminUnauthorizedError(
        "The exp of the admin token must be in seconds since 1970 and before the year 10000.",
        true,
      );
    }
    if (typeof tenantId !== "string" || !isUuid(tenantId) || typeof sub !== "string" || !isUuid(sub)) {
      throw adminUnauthorizedError("The admin token has no valid tenantId or sub. Both must be UUIDs.", true);
    }
    return { tenantId: tenantId.toLowerCase(), userId: sub.toLowerCase() };
  };
}

/**
 * Returns whether a token has only one possible encoding: base64url without padding or spare bits, and JSON without
 * duplicate keys. A gateway could read an ambiguous token differently.
 */
function isCanonicalJwt(token: string): boolean {
  const parts = token.split(".").map((part) => ({ part, bytes: Buffer.from(part, "base64url") }));
  if (!parts.every(({ part, bytes }) => bytes.toString("base64url") === part)) return false;
  try {
    for (const { bytes } of parts.slice(0, 2)) parseJsonObject(bytes);
    return true;
  } catch (error) {
    if (error instanceof JsonParseError) return false;
    throw error;
  }
}

/** Returns the payload of a verified token. If several published keys match, tries each of them. */
async function payloadOf(token: string, key: JWTVerifyGetKey, options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, key, options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const candidate of error) {
      try {
        return (await jwtVerify(token, candidate, options)).payload;
      } catch (other) {
        if (!(other instanceof errors.JWSSignatureVerificationFailed)) throw other;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/**
 * Signs a token for one admin, for hosts and programs that have the secret. Times are in seconds since 1970.
 * @throws TypeError if the secret is shorter than 32 bytes or no Uint8Array
 */
export async function signAdminToken(
  auth: AdminAuth & { readonly secret: Uint8Array },
  claims: AdminClaims,
  times: { readonly issuedAt: number; readonly expiresAt: number },
): Promise<string> {
  assertSecret(auth.secret);
  return new SignJWT({ tenantId: claims.tenantId })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setSubject(claims.userId)
    .setIssuer(auth.issuer)
    .setAudience(auth.audience)
    .setIssuedAt(times.issuedAt)
    .setExpirationTime(times.expiresAt)
    .sign(auth.secret);
}

function keyVerification({ secret, jwksUrl }: AdminAuth): { key: JWTVerifyGetKey; algorithms: string[] } {
  if ((secret === undefined) === (jwksUrl === undefined))
    throw new TypeError("adminAuth needs either secret or jwksUrl");
  if (jwksUrl !== undefined) {
    const key = createRemoteJWKSet(new URL(jwksUrl), { [customFetch]: fetchUsableKeys });
    return { key, algorithms: [...algorithmByKeyType.values()] };
  }
  assertSecret(secret);
  return { key: async () => secret, algorithms: ["HS256"] };
}

/** Checks the type as well, because callers in JavaScript may pass a string. */
function assertSecret(secret: unknown): asserts secret is Uint8Array {
  if (!(secret instanceof Uint8Array) || secret.length < minSecretBytes) {
    throw new TypeError(
      "adminAuth.secret must be a Uint8Array of at least 32 bytes, such as new TextEncoder().encode(text)",
    );
  }
}

/** The accepted algorithm of each key type. */
const algorithmByKeyType = new Map([
  ["RSA", "RS256"],
  ["EC", "ES256"],
  ["OKP", "EdDSA"],
]);
const minRsaBits = 2048;

/**
 * Fetches a JWKS without the keys that can't verify a token. jose fails on such a key instead of trying the next one.
 */
async function fetchUsableKeys(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  if (response.status !== 200) return response;
  const jwks = (await response.json()) as { readonly keys?: unknown } | null;
  if (!Array.isArray(jwks?.keys)) return Response.json(jwks);
  const usable = await Promise.all(jwks.keys.map(isUsable));
  return Response.json({ keys: jwks.keys.filter((_, index) => usable[index]) });
}

async function isUsable(jwk: JWK | null): Promise<boolean> {
  const algorithm = algorithmByKeyType.get(jwk?.kty ?? "");
  if (jwk === null || algorithm === undefined) return false;
  try {
    const key = await importJWK(jwk, algorithm);
    if (key instanceof Uint8Array || key.type !== "public") return false;
    const { modulusLength = minRsaBits } = key.algorithm as { readonly modulusLength?: number };
    return modulusLength >= minRsaBits;
  } catch {
    return false;
  }
}

/** Returns whether the token is invalid. Otherwise the keys can't be fetched or used. */
function isInvalidToken(error: unknown): boolean {
  return invalidTokenErrors.some((kind) => error instanceof kind);
}
const invalidTokenErrors = [
  errors.JWTInvalid,
  errors.JWTClaimValidationFailed,
  errors.JWTExpired,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSNoMatchingKey,
];

function keysUnavailableError(cause: unknown): ApiError {
  const message = "The keys of the sign-in service can't be fetched. Retry later.";
  return new ApiError("internal_error", message, { status: 503, headers: { "Retry-After": "5" }, cause });
}

export function adminUnauthorizedError(message: string, sent: boolean): ApiError {
  return unauthorizedError(message, sent, "crm-integrations admin");
}
