import { ApiError } from "../model/errors.ts";
import type { ApiKeyWithScopes, Storage } from "../storage/storage.ts";
import { equalHash, hashKey, isApiKey } from "./api-key.ts";

/** The credentials of a request, as its headers carry them. */
export type Credentials = { readonly apiKey: string | null; readonly authorization: string | null };

/**
 * The key that a request carries, looked up at every request, so that a revocation holds from the moment it was
 * answered.
 * @throws ApiError `401 unauthorized` with `WWW-Authenticate`
 */
export async function authenticateApiKey(
  storage: Pick<Storage, "findApiKey">,
  sent: Credentials,
  now: number,
): Promise<ApiKeyWithScopes> {
  const key = readApiKey(sent);
  if (!isApiKey(key)) throw unauthorized("The API key is not well-formed: it was cut off or mistyped.", true);
  const hash = hashKey(key);
  const found = await storage.findApiKey(hash);
  if (found === undefined || !equalHash(found.hash, hash)) throw unauthorized("The API key is not known here.", true);
  if (found.revokedAt !== null) throw unauthorized("The API key was revoked.", true);
  if (found.expiresAt !== null && found.expiresAt <= now) throw unauthorized("The API key has expired.", true);
  return found;
}

/** The one key that was sent; the same key in both headers is one. */
function readApiKey({ apiKey, authorization }: Credentials): string {
  const bearer = authorization === null ? null : bearerOf(authorization);
  if (apiKey === null && bearer === null) {
    throw unauthorized("Send your integration's API key in the header x-api-key, or as Authorization: Bearer.", false);
  }
  if (apiKey !== null && bearer !== null && apiKey.trim() !== bearer) {
    throw unauthorized("x-api-key and Authorization carry different credentials; send one of them.", true);
  }
  const key = (apiKey ?? bearer ?? "").trim();
  if (/^ey[\w-]*\.[\w-]+\.[\w-]*$/.test(key)) {
    throw unauthorized("A user's token does not open integration endpoints; send the integration's API key.", true);
  }
  return key;
}

function bearerOf(authorization: string): string {
  const match = /^Bearer +(\S+) *$/i.exec(authorization);
  if (match === null) throw unauthorized("The header Authorization must be: Bearer, a blank, and the API key.", true);
  return match[1] ?? "";
}

function unauthorized(message: string, sent: boolean): ApiError {
  const challenge = `Bearer realm="crm-integrations"${sent ? ', error="invalid_token"' : ""}`;
  return new ApiError("unauthorized", message, { headers: { "WWW-Authenticate": challenge } });
}
