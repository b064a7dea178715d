import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import type { AdminClaims } from "../auth/admin-token.ts";

/** The user that a token names. `expiresAt` is in milliseconds since 1970. */
export type TokenClaims = AdminClaims & {
  readonly id: string;
  readonly expiresAt: number;
  /** The origin of the page that the token is for. Only challenges of passkeys have one. */
  readonly origin?: string;
};

/** Signs and verifies the tokens of one purpose. */
export type TokenSigner = {
  sign(claims: TokenClaims): Promise<string>;
  /** Returns the claims of a token with a valid signature, expired or not. Undefined for anything else. */
  verify(token: string): Promise<TokenClaims | undefined>;
};

type Payload = readonly [tenantId: string, userId: string, id: string, expiresAt: number, origin?: string];

const macBytes = 32;
const maxTokenLength = 1024;

/**
 * Returns the signer for a purpose. A token is the base64url of an HMAC and a JSON payload. The key is derived from
 * both secrets and the purpose, so that a token of one purpose is invalid for another.
 * @param hostSecret a secret that isn't in the database
 */
export function tokenSigner(
  purpose: "session" | "sign-in" | "invitation" | "passkey",
  secret: () => Promise<KeyObject>,
  hostSecret: Uint8Array = new Uint8Array(),
): TokenSigner {
  const macOf = async (payload: Uint8Array): Promise<Buffer> => {
    const storageKey = createHmac("sha256", await secret()).update(`crm-integrations console ${purpose}\n`);
    return createHmac("sha256", storageKey.update(hostSecret).digest()).update(payload).digest();
  };
  return {
    async sign({ tenantId, userId, id, expiresAt, origin }) {
      const shared = [tenantId, userId, id, expiresAt] as const;
      const claims: Payload = origin === undefined ? shared : [...shared, origin];
      const payload = Buffer.from(JSON.stringify(claims));
      return Buffer.concat([await macOf(payload), payload]).toString("base64url");
    },
    async verify(token) {
      const bytes = Buffer.from(token.slice(0, maxTokenLength), "base64url");
      // Only one encoding of a token is valid.
      if (bytes.length <= macBytes || bytes.toString("base64url") !== token) return undefined;
      const payload = bytes.subarray(macBytes);
      if (!timingSafeEqual(bytes.subarray(0, macBytes), await macOf(payload))) return undefined;
      const [tenantId, userId, id, expiresAt, origin] = JSON.parse(payload.toString()) as Payload;
      return { tenantId, userId, id, expiresAt, ...(origin !== undefined && { origin }) };
    },
  };
}
