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

/** Who signs administrators' tokens: one of a shared secret (HS256, 32 bytes or more) and a JWKS address. */
export type AdminAuth = {
  readonly issuer: string;
  readonly audience: string;
  readonly secret?: Uint8Array;
  /** RS256, ES256 and EdDSA. */
  readonly jwksUrl?: string;
};

/** Whom a token speaks for. Whether that user is an administrator is for the database to say. */
export type AdminClaims = { readonly tenantId: string; readonly userId: string };

/** Verifies the header `Authorization` at a given time (ms). @throws ApiError `401 unauthorized` */
export type AdminVerifier = (authorization: string | null, now: number) => Promise<AdminClaims>;

const secretBytesMin = 32;
/** The last second of the year 9999. What is later was counted in milliseconds, or is Infinity (1e999 in JSON). */
const expiryMax = 253_402_300_799;

/**
 * Creates the verifier of admin tokens.
 * @throws TypeError if the issuer or the audience is empty, the secret is shorter than 32 bytes or no Uint8Array, or
 * both or neither of secret and jwksUrl are given
 */
export function adminVerifier(auth: AdminAuth): AdminVerifier {
  const { key, algorithms } = verification(auth);
  const { issuer, audience } = auth;
  // jose doesn't check the issuer or the audience of a token if its option is undefined.
  for (const [name, value] of Object.entries({ issuer, audience })) {
    if (typeof value !== "string" || value === "") throw new TypeError(`adminAuth.${name} must be a non-empty string`);
  }
  return async (authorization, now) => {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) throw unauthorized("Send an administrator's token as Authorization: Bearer.", false);
    if (isApiKey(token)) throw unauthorized("An API key does not open this; send an administrator's token.", true);
    if (!isCanonicalJwt(token)) throw unauthorized("The token is not one that this service accepts.", true);
    const options = {
      issuer,
      audience,
      algorithms,
      requiredClaims: ["exp"],
      currentDate: new Date(now),
    };
    const payload = await payloadOf(token, key, options).catch((error: unknown) => {
      throw isInvalidToken(error)
        ? unauthorized("The token is not one that this service accepts.", true)
        : unreachable(error);
    });
    const { exp, tenantId } = payload;
    const sub: unknown = payload.sub;
    if (exp !== undefined && exp > expiryMax) {
      throw unauthorized("The token's exp must be in seconds since 1970, and before the year 10000.", true);
    }
    if (typeof tenantId !== "string" || !isUuid(tenantId) || typeof sub !== "string" || !isUuid(sub)) {
      throw unauthorized("The token names no tenant or user.", true);
    }
    return { tenantId: tenantId.toLowerCase(), userId: sub.toLowerCase() };
  };
}

/**
 * Whether a token is written in the one way in which its content can be: base64 without padding or bits left over, and
 * JSON objects that name nothing twice. What can be read in two ways is read otherwise by some gateway.
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

/** What a token says, once it is verified. Where several published keys may have signed it, each of them is tried. */
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

function verification({ secret, jwksUrl }: AdminAuth): { key: JWTVerifyGetKey; algorithms: string[] } {
  if ((secret === undefined) === (jwksUrl === undefined)) throw new TypeError("adminAuth takes a secret or a jwksUrl");
  if (jwksUrl !== undefined) {
    const key = createRemoteJWKSet(new URL(jwksUrl), { [customFetch]: fetchUsableKeys });
    return { key, algorithms: [...algorithmByKeyType.values()] };
  }
  assertSecret(secret);
  return { key: async () => secret, algorithms: ["HS256"] };
}

/** Checks the type as well, because callers in JavaScript may pass a string. */
function assertSecret(secret: unknown): asserts secret is Uint8Array {
  if (!(secret instanceof Uint8Array) || secret.length < secretBytesMin) {
    throw new TypeError("adminAuth.secret is a Uint8Array of 32 bytes or more, such as new TextEncoder().encode(text)");
  }
}

/** The accepted algorithm of each key type. */
const algorithmByKeyType = new Map([
  ["RSA", "RS256"],
  ["EC", "ES256"],
  ["OKP", "EdDSA"],
]);
const minRsaBits = 2048;

/** Fetches a JWKS without the keys that can't verify a token. jose fails on such a key instead of trying the next one. */
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

/** Whether it is the token that is wrong, and not the way to the keys or what was found there. */
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

function unreachable(cause: unknown): ApiError {
  const message = "The keys of the token's issuer cannot be fetched just now.";
  return new ApiError("internal_error", message, { status: 503, headers: { "Retry-After": "5" }, cause });
}

function unauthorized(message: string, sent: boolean): ApiError {
  const challenge = `Bearer realm="crm-integrations admin"${sent ? ', error="invalid_token"' : ""}`;
  return new ApiError("unauthorized", message, { headers: { "WWW-Authenticate": challenge } });
}
