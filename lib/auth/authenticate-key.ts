import { ApiError } from "../model/errors.ts";
import type { CachedStorage } from "../storage/cached-settings.ts";
import type { ApiKeyWithScopes } from "../storage/storage.ts";
import { equalHash, hashKey, isApiKey } from "./api-key.ts";

/** The credentials in the headers of a request. */
export type Credentials = { readonly apiKey: string | null; readonly authorization: string | null };

/**
 * Returns the API key of a request. Every request calls `findApiKey`, so a revoked key is rejected from the time of the
 * response to the revocation.
 * @param listeners `onCached` is called with the cached API key before it is known to be valid, `onRejected` with a
 * known one that is revoked or expired
 * @throws ApiError `401 unauthorized` with `WWW-Authenticate`
 */
export async function authenticateApiKey(
  storage: Pick<CachedStorage, "findApiKey">,
  sent: Credentials,
  now: number,
  listeners: Readonly<Partial<Record<"onCached" | "onRejected", (key: ApiKeyWithScopes) => void>>> = {},
): Promise<ApiKeyWithScopes> {
  const key = readApiKey(sent);
  if (!isApiKey(key)) throw unauthorizedError("Malformed API key. It was truncated or mistyped.", true);
  const hash = hashKey(key);
  const found = await storage.findApiKey(hash, listeners.onCached);
  if (found === undefined || !equalHash(found.hash, hash)) throw unauthorizedError("Unknown API key.", true);
  const isRevoked = found.revokedAt !== null;
  if (!isRevoked && (found.expiresAt === null || found.expiresAt > now)) return found;
  listeners.onRejected?.(found);
  throw unauthorizedError(isRevoked ? "Revoked API key." : "Expired API key.", true);
}

/**
 * Returns the API key in the headers. An Authorization header without an API key is ignored if there is an x-api-key,
 * because gateways send their own.
 */
function readApiKey({ apiKey, authorization }: Credentials): string {
  if (apiKey !== null) {
    const key = assertPlainKey(apiKey.trim(), "x-api-key");
    if (authorization === null || !looksLikeApiKey(authorization) || withoutScheme(authorization) === key) return key;
    throw unauthorizedError("x-api-key and Authorization contain different API keys. Send only one.", true);
  }
  if (authorization === null) {
    throw unauthorizedError(
      "Authentication required. Send an API key in the header x-api-key, or as Authorization: Bearer API_KEY.",
      false,
    );
  }
  if (!/^(?:Bearer(?: |$)|$)/i.test(authorization.trim()))
    throw unauthorizedError("The Authorization header must have the form: Bearer API_KEY.", true);
  return assertPlainKey(withoutScheme(authorization), "Authorization");
}

function withoutScheme(authorization: string): string {
  return authorization.trim().replace(/^Bearer(?: +|$)/i, "");
}

/** Whether a header contains an API key, even a malformed one. */
export function looksLikeApiKey(text: string): boolean {
  return /crm_(?:live|test)_/.test(text);
}

/** Names the usual mistakes in a header. Returns the API key. @throws ApiError `401 unauthorized` */
function assertPlainKey(key: string, header: "x-api-key" | "Authorization"): string {
  if (key === "") throw unauthorizedError(`The header ${header} is empty. Send an API key.`, true);
  if (/^Bearer\b/i.test(key) && !key.includes(","))
    throw unauthorizedError(`The API key in ${header} starts with Bearer. Remove it.`, true);
  if (/^(["']).*\1$/.test(key)) throw unauthorizedError(`The API key in ${header} is in quotes. Remove them.`, true);
  if (key.includes(",")) throw unauthorizedError(`The header ${header} has several values. Send one API key.`, true);
  if (/^ey[\w-]*\.[\w-]+\.[\w-]*$/.test(key))
    throw unauthorizedError("Admin tokens aren't accepted here. Send an API key.", true);
  return key;
}

/** Returns `401 unauthorized`. @param sent whether the request has credentials */
export function unauthorizedError(message: string, sent: boolean, realm = "crm-integrations"): ApiError {
  const challenge = `Bearer realm="${realm}"${sent ? ', error="invalid_token"' : ""}`;
  return new ApiError("unauthorized", message, { headers: { "WWW-Authenticate": challenge } });
}
