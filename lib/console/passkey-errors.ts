import { ApiError } from "../model/errors.ts";
import { unauthorized } from "./request-checks.ts";

export const maxPasskeys = 20;

const messages = {
  no_passkeys: "Passkeys aren't available here. They need https or localhost, a host name, and @simplewebauthn/server.",
  passkey_expired: "The passkey was used more than 5 minutes after the request. Try again.",
  passkey_used: "This response of the browser was already used. Try again.",
  passkey_unknown: "This passkey was removed, or it is from another server. Sign in with a link.",
  passkey_rejected: "The passkey can't be verified. Try again, or sign in with a link.",
  passkey_copied: "The passkey may have been copied: its counter didn't increase. Sign in with a link, and remove it.",
  passkey_known: "The user has this passkey already.",
  passkey_limit: `A user has at most ${maxPasskeys} passkeys. Remove one first.`,
  not_own_user: "Only users themselves can add their passkeys.",
};

/** Returns an error with a reason: a 401 of a sign-in, or a 409 of an endpoint. */
export function passkeyError(code: "unauthorized" | "conflict", reason: keyof typeof messages): ApiError {
  const message = messages[reason];
  return code === "unauthorized" ? unauthorized(message, reason) : new ApiError(code, message, { details: { reason } });
}
