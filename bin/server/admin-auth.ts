import type { AdminAuth } from "#lib";
import { stringSetting, type Values } from "../cli/setting.ts";
import { UsageError } from "../cli/usage.ts";
import { adminAuthOf } from "../database/data-folder.ts";

/** Who signs administrators' tokens, where a shared secret does. */
export const adminSettings = {
  adminIssuer: stringSetting("TEXT", "the issuer of administrators' tokens", { default: "crm-integrations" }),
  adminAudience: stringSetting("TEXT", "their audience", { default: "crm-integrations-admin" }),
  adminSecret: stringSetting("TEXT", "their secret, 32 bytes or more (default: one of the data folder)", {
    secret: true,
  }),
} as const;

const secretBytesMin = 32;

/**
 * The secret that is said, else that of the data folder, else undefined: a database that several servers share has none of
 * its own, since whoever can read a dump of it could make themselves an administrator.
 * @throws UsageError where the secret is too short
 */
export function adminSecretAuth(
  { adminIssuer: issuer, adminAudience: audience, adminSecret }: Values<typeof adminSettings>,
  folder: string | undefined,
): (AdminAuth & { readonly secret: Uint8Array }) | undefined {
  const secret = adminSecret === undefined ? undefined : new TextEncoder().encode(adminSecret);
  if (secret !== undefined && secret.length < secretBytesMin)
    throw new UsageError("--admin-secret needs 32 bytes or more.");
  if (secret !== undefined) return { issuer, audience, secret };
  return folder === undefined ? undefined : { ...adminAuthOf(folder), issuer, audience };
}
