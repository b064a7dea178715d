import { randomBytes } from "node:crypto";
import * as v from "valibot";
import type { AdminClaims } from "../auth/admin-token.ts";
import type { HttpRuntime } from "../http/http-runtime.ts";
import type { ConsoleAccess, Passkey } from "../model/console-access.ts";
import type { RandomBytes } from "../model/uuid.ts";
import { maxPasskeys, passkeyError } from "./passkey-errors.ts";
import { type TokenClaims, tokenSigner } from "./signed-token.ts";
import {
  algorithms,
  challengeOf,
  type NewPasskeyResponse,
  type PasskeyResponse,
  readUserHandle,
  relyingPartyOf,
  userHandleOf,
  verifyNew,
  verifyUse,
  type WebAuthn,
} from "./webauthn.ts";

const challengeMs = 5 * 60 * 1000;

const encoded = v.string("must be a string");
const newPasskey = { id: encoded, clientDataJSON: encoded, authenticatorData: encoded };
export const newPasskeySchema = v.strictObject(newPasskey);
export const passkeySchema = v.strictObject({ ...newPasskey, signature: encoded, userHandle: encoded });

/** The user of a passkey, the ID of the challenge, and the counter of the authenticator. */
export type PasskeyProof = { readonly user: AdminClaims; readonly challengeId: string; readonly counter: number };

/** The name and the IDs that a browser stores with a new passkey. */
export type PasskeyOwner = AdminClaims & {
  readonly userName: string;
  readonly email: string | null;
  readonly tenantName: string;
};

/** Passkeys over the storage and the clock of an API. */
export type Passkeys = {
  /** Whether browsers have passkeys at this origin, and the host has the library. */
  isAvailable(origin: string): boolean;
  /** Returns the options for both functions of `navigator.credentials`. Without an owner, only for `get`. */
  createOptions(origin: string, owner: PasskeyOwner | undefined): Promise<Readonly<Record<string, unknown>>>;
  /** Verifies a new passkey of a user. Returns it and the ID of the challenge. @throws ApiError `409 conflict` */
  verifyNew(
    body: NewPasskeyResponse,
    user: AdminClaims,
  ): Promise<Pick<Passkey, "id" | "publicKey" | "counter"> & { readonly challengeId: string }>;
  /** Verifies a sign-in. @throws ApiError `401 unauthorized` */
  verifySignIn(body: PasskeyResponse, origin: string): Promise<PasskeyProof>;
};

export type PasskeyOptions = {
  readonly secret?: Uint8Array | undefined;
  readonly random?: RandomBytes | undefined;
  readonly webauthn?: (() => Promise<WebAuthn>) | undefined;
};

/** Returns the passkeys of a console. A challenge is a signed token, so any server of the database can verify it. */
export function passkeysOf(
  { storage, context }: Pick<HttpRuntime, "storage" | "context">,
  { secret, random = randomBytes, webauthn }: PasskeyOptions,
): Passkeys {
  const challenges = tokenSigner("passkey", context.secret, secret);
  const readAccess = async (tenantId: string, userId: string) => storage.get(tenantId, "consoleAccess", userId);
  const isAvailable = (origin: string) => webauthn !== undefined && relyingPartyOf(origin) !== undefined;

  /** Returns the challenge that a browser has signed, and the library. */
  async function open(body: NewPasskeyResponse, code: "unauthorized" | "conflict") {
    const challenge = challengeOf(body);
    const claims: TokenClaims | undefined = await challenges.verify(challenge);
    const { origin = "", expiresAt = 0 } = claims ?? {};
    const rpId = claims && relyingPartyOf(origin);
    if (webauthn === undefined) throw passkeyError(code, "no_passkeys");
    if (claims === undefined || rpId === undefined) throw passkeyError(code, "passkey_rejected");
    if (expiresAt <= context.clock.now()) throw passkeyError(code, "passkey_expired");
    return { claims, ceremony: { origin, rpId, challenge }, library: await webauthn() };
  }

  return {
    isAvailable,
    async createOptions(origin, owner) {
      const rpId = relyingPartyOf(origin);
      if (rpId === undefined || !isAvailable(origin)) throw passkeyError("conflict", "no_passkeys");
      const { tenantId = "", userId = "" } = owner ?? {};
      const expiresAt = context.clock.now() + challengeMs;
      const id = Buffer.from(random(16)).toString("base64url");
      const shared = {
        challenge: await challenges.sign({ tenantId, userId, id, expiresAt, origin }),
        timeout: challengeMs,
      };
      const get = { ...shared, rpId, userVerification: "required" };
      if (owner === undefined) return { get };
      const known = (await readAccess(tenantId, userId))?.passkeys ?? [];
      const create = {
        ...shared,
        rp: { id: rpId, name: owner.tenantName },
        user: {
          id: userHandleOf(tenantId, userId),
          name: owner.email ?? owner.userName,
          displayName: owner.userName,
        },
        pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key", alg })),
        excludeCredentials: known.map(({ id }) => ({ type: "public-key", id })),
        authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
        attestation: "none",
      };
      return { get, create };
    },
    async verifyNew(body, { tenantId, userId }) {
      const { claims, ceremony, library } = await open(body, "conflict");
      const isOwn = claims.tenantId === tenantId && claims.userId === userId;
      const verified = isOwn ? await verifyNew(library, body, ceremony) : undefined;
      if (verified === undefined) throw passkeyError("conflict", "passkey_rejected");
      return { ...verified, challengeId: claims.id };
    },
    async verifySignIn(body, origin) {
      const { claims, ceremony, library } = await open(body, "unauthorized");
      const user = readUserHandle(body.userHandle);
      const stored = user && (await readAccess(user.tenantId, user.userId));
      const passkey = stored?.passkeys.find(({ id }) => id === body.id);
      if (user === undefined || passkey === undefined) throw passkeyError("unauthorized", "passkey_unknown");
      const counter = claims.origin === origin ? await verifyUse(library, body, passkey, ceremony) : undefined;
      if (counter === undefined) throw passkeyError("unauthorized", "passkey_rejected");
      return { user, challengeId: claims.id, counter };
    },
  };
}

/**
 * Returns the passkeys after a use. A counter that doesn't increase shows that two authenticators have the same key.
 * @throws ApiError `401 unauthorized`
 */
export function withPasskeyUse(
  access: ConsoleAccess | undefined,
  { id, counter }: Pick<Passkey, "id" | "counter">,
  now: number,
): readonly Passkey[] {
  const { passkeys = [] } = access ?? {};
  const used = passkeys.find((each) => each.id === id);
  if (used === undefined) throw passkeyError("unauthorized", "passkey_unknown");
  if (Math.max(counter, used.counter) > 0 && counter <= used.counter)
    throw passkeyError("unauthorized", "passkey_copied");
  return passkeys.map((each) => (each === used ? { ...each, counter, lastUsedAt: now } : each));
}

/** Returns the passkeys with a new one. @throws ApiError `409 conflict` */
export function withPasskey(access: ConsoleAccess | undefined, added: Passkey): readonly Passkey[] {
  const { passkeys = [] } = access ?? {};
  if (passkeys.some(({ id }) => id === added.id)) throw passkeyError("conflict", "passkey_known");
  if (passkeys.length >= maxPasskeys) throw passkeyError("conflict", "passkey_limit");
  return [...passkeys, added];
}
