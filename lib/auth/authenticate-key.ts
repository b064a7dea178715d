import { ApiError } from "../model/errors.ts";
import type { ApiKeyWithScopes, Storage } from "../storage/storage.ts";
import { equalHash, hashKey, isApiKey } from "./api-key.ts";

/** The credentials in the headers of a request. */
export type Credentials = { readonly apiKey: string | null; readonly authorization: string | null };

/**
 * Returns the API key of a request. It is read from the storage for every request, so a revoked key is rejected from the
 * time of the response to the revocation.
 * @throws ApiError `401 unauthorized` with `WWW-Authenticate`
 */
export async function authenticateApiKey(
  storage: Pick<Storage, "findApiKey">,
  sent: Credentials,
  now: number,
): Promise<ApiKeyWithScopes> {
  const key = readApiKey(sent);
  if (!isApiKey(key)) throw unauthorized("Malformed API key. It was truncated or mistyped.", true);
  const hash = hashKey(key);
  const found = await storage.findApiKey(hash);
  if (found === undefined || !equalHash(found.hash, hash)) throw unauthorized("Unknown API key.", true);
  if (found.revokedAt !== null) throw unauthorized("Revoked API key.", true);
  if (found.expiresAt !== null && found.expiresAt <= now) throw unauthorized("Expired API key.", true);
  return found;
}

/** Returns the API key in the headers. Both headers may contain the same key. */
function readApiKey({ apiKey, authorization }: Credentials): string {
  const bearer = authorization === null ? null : bearerOf(authorization);
  if (apiKey === null && bearer === null) {
    throw unauthorized(
      "Authentication required. Send an API key in the header x-api-key, or as Authorization: Bearer API_KEY.",
      false,
    );
  }
  if (apiKey !== null && bearer !== null && apiKey.trim() !== bearer) {
    throw unauthorized("x-api-key and Authorization contain different credentials. Send only one.", true);
  }
  const key = (apiKey ?? bearer ?? "").trim();
  if (/^ey[\w-]*\.[\w-]+\.[\w-]*$/.test(key)) {
    throw unauthorized("Admin tokens aren't accepted here. Send an API key.", true);
  }
  return key;
}

function bearerOf(authorization: string): string {
  const match = /^Bearer +(\S+) *$/i.exec(authorization);
  if (match === null) throw unauthorized("The Authorization header must have the form: Bearer API_KEY.", true);
  return match[1] ?? "";
}

/** Returns `401 unauthorized`. @param sent whether the request has credentials */
export function unauthorized(message: string, sent: boolean, realm = "crm-integrations"): ApiError {
  const challenge = `Bearer realm="${realm}"${sent ? ', error="invalid_token"' : ""}`;
  return new ApiError("unauthorized", message, { headers: { "WWW-Authenticate": challenge } });
}
