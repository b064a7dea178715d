import * as v from "valibot";
import { model, type RecordOf } from "./model.ts";

/**
 * How a user signs in to the console, with the ID of the user. Not a setting: each use of a session must not empty the
 * caches of settings. It has hashes of tokens and public keys only.
 */
export const consoleAccess = model("consoleAccess", "console_access", {
  sessions: { schema: v.array(v.custom<ConsoleSession>(() => true)), column: "json", default: [], hidden: true },
  invitation: { schema: v.nullable(v.custom<Invitation>(() => true)), column: "json", hidden: true },
  passkeys: { schema: v.array(v.custom<Passkey>(() => true)), column: "json", default: [], hidden: true },
});

/** A session of the console. Times are in milliseconds since 1970. */
export type ConsoleSession = {
  readonly id: string;
  /** SHA-256 of the token in the cookie, in hex. */
  readonly hash: string;
  readonly userAgent: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
};

/** A link that signs the user in once. Times are in milliseconds since 1970. */
export type Invitation = {
  /** SHA-256 of the token in the link, in hex. */
  readonly hash: string;
  /** ID of the admin who created it. */
  readonly createdBy: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
};

/** A WebAuthn credential. Times are in milliseconds since 1970. */
export type Passkey = {
  /** The ID that the authenticator has chosen, in base64url. */
  readonly id: string;
  /** A COSE key in base64url. */
  readonly publicKey: string;
  /** The number of uses that the authenticator has reported. Many always report 0. */
  readonly counter: number;
  readonly name: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
};

export type ConsoleAccess = RecordOf<typeof consoleAccess>;
