import { isIP } from "node:net";
import type { Passkey } from "../model/console-access.ts";

/** The response of a browser to `navigator.credentials.create()`. All texts are base64url. */
export type NewPasskeyResponse = {
  readonly id: string;
  readonly clientDataJSON: string;
  readonly authenticatorData: string;
};

/** The response to `navigator.credentials.get()`. `userHandle` names the user. */
export type PasskeyResponse = NewPasskeyResponse & { readonly signature: string; readonly userHandle: string };

type Expected = {
  readonly expectedChallenge: string;
  readonly expectedOrigin: string;
  readonly expectedRPID: string;
  readonly requireUserVerification: boolean;
};

/** The members of the package `@simplewebauthn/server` that the console uses. */
export type WebAuthn = {
  verifyRegistrationResponse(options: Expected & { response: never; supportedAlgorithmIDs: number[] }): Promise<{
    readonly verified: boolean;
    readonly registrationInfo?: {
      readonly credential: { readonly id: string; readonly publicKey: Uint8Array; readonly counter: number };
    };
  }>;
  verifyAuthenticationResponse(
    options: Expected & {
      response: never;
      credential: { id: string; publicKey: Uint8Array<ArrayBuffer>; counter: number };
    },
  ): Promise<{ readonly verified: boolean; readonly authenticationInfo: { readonly newCounter: number } }>;
};

/** EdDSA, ES256 and RS256. */
export const algorithms = [-8, -7, -257];

/** The origin of the page, and the challenge that it got. */
export type Ceremony = { readonly origin: string; readonly rpId: string; readonly challenge: string };

/**
 * Returns the host that the passkeys of an origin belong to. Undefined if browsers have none there: without https, or
 * at an IP address.
 */
export function relyingPartyOf(origin: string): string | undefined {
  const { protocol, hostname } = new URL(origin);
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  if (protocol !== "https:" && !isLocal) return undefined;
  return isIP(hostname.replace(/^\[(.*)\]$/, "$1")) === 0 ? hostname : undefined;
}

/** Returns the challenge that a browser has signed, or an empty text. */
export function challengeOf({ clientDataJSON }: NewPasskeyResponse): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString());
    return typeof challenge === "string" ? challenge : "";
  } catch {
    return "";
  }
}

/** Verifies a new passkey. Returns undefined if anything is wrong. */
export async function verifyNew(
  library: WebAuthn,
  { id, ...response }: NewPasskeyResponse,
  ceremony: Ceremony,
): Promise<Pick<Passkey, "id" | "publicKey" | "counter"> | undefined> {
  const attestationObject = withoutAttestation(Buffer.from(response.authenticatorData, "base64url"));
  const { registrationInfo } = await library
    .verifyRegistrationResponse({
      ...expected(id, { ...response, attestationObject }, ceremony),
      supportedAlgorithmIDs: algorithms,
    })
    .catch(() => ({ registrationInfo: undefined }));
  if (registrationInfo === undefined || registrationInfo.credential.id !== id) return undefined;
  const { publicKey, counter } = registrationInfo.credential;
  return { id, publicKey: Buffer.from(publicKey).toString("base64url"), counter };
}

/** Verifies the use of a passkey. Returns its counter, or undefined if anything is wrong. */
export async function verifyUse(
  library: WebAuthn,
  { id: sentId, ...response }: PasskeyResponse,
  { id, publicKey }: Passkey,
  ceremony: Ceremony,
): Promise<number | undefined> {
  // The commit compares the counters.
  const credential = { id, publicKey: new Uint8Array(Buffer.from(publicKey, "base64url")), counter: -1 };
  const { verified, authenticationInfo } = await library
    .verifyAuthenticationResponse({ ...expected(sentId, response, ceremony), credential })
    .catch(() => ({ verified: false, authenticationInfo: undefined }));
  return verified ? authenticationInfo?.newCounter : undefined;
}

function expected(id: string, response: object, ceremony: Ceremony) {
  const full = { id, rawId: id, type: "public-key", clientExtensionResults: {}, response };
  return {
    response: full as never,
    expectedChallenge: ceremony.challenge,
    expectedOrigin: ceremony.origin,
    expectedRPID: ceremony.rpId,
    requireUserVerification: true,
  };
}

/**
 * Returns an attestation object of the format `none` in CBOR. The console trusts any authenticator, and verifying a
 * certificate could send requests to other servers.
 */
function withoutAttestation(authenticatorData: Uint8Array): string {
  const start = Buffer.from("\xa3cfmtdnonegattStmt\xa0hauthData\x59", "latin1");
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Math.min(authenticatorData.length, 0xffff));
  return Buffer.concat([start, length, authenticatorData]).toString("base64url");
}

/** Returns the handle of a user, which an authenticator stores with the passkey: the bytes of both UUIDs. */
export function userHandleOf(tenantId: string, userId: string): string {
  return Buffer.from((tenantId + userId).replaceAll("-", ""), "hex").toString("base64url");
}

/** Returns the user of a handle. Undefined for anything else. */
export function readUserHandle(handle: string): { readonly tenantId: string; readonly userId: string } | undefined {
  const hex = Buffer.from(handle, "base64url").toString("hex");
  const [tenantId, userId] = [...hex.matchAll(/(.{8})(.{4})(.{4})(.{4})(.{12})/g)].map((match) =>
    match.slice(1).join("-"),
  );
  if (hex.length !== 64 || tenantId === undefined || userId === undefined) return undefined;
  return { tenantId, userId };
}
