import * as v from "valibot";
import { model, type RecordOf } from "./model.ts";

/**
 * How a user signs in to the console, with the ID of the user. Not a setting: each use of a session must not empty the
 * caches of settings. It has hashes of tokens only.
 */
export const consoleAccess = model("consoleAccess", "console_access", {
  sessions: { schema: v.array(v.custom<ConsoleSession>(() => true)), column: "json", default: [], hidden: true },
  invitation: { schema: v.nullable(v.custom<Invitation>(() => true)), column: "json", hidden: true },
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

export type ConsoleAccess = RecordOf<typeof consoleAccess>;
