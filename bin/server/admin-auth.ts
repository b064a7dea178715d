import type { AdminAuth } from "#lib";
import { UsageError } from "../cli/errors.ts";
import { type SettingValues, stringSetting } from "../cli/setting.ts";
import { folderAdminAuth } from "../database/data-folder.ts";

/** Settings of admin tokens that are signed with a shared secret. */
export const adminSettings = {
  adminIssuer: stringSetting("TEXT", "issuer of admin tokens", { default: "crm-integrations" }),
  adminAudience: stringSetting("TEXT", "audience of admin tokens", { default: "crm-integrations-admin" }),
  adminSecret: stringSetting(
    "TEXT",
    "secret of admin tokens and console sessions, at least 32 bytes (default: a generated secret in the data folder)",
    {
      secret: true,
    },
  ),
} as const;

const minSecretBytes = 32;

/**
 * Returns the configured secret, or else the secret of the data folder. PostgreSQL stores none: anyone who can read a
 * dump could sign admin tokens.
 * @throws UsageError if the secret is too short
 */
export function adminSecretAuth(
  { adminIssuer: issuer, adminAudience: audience, adminSecret }: SettingValues<typeof adminSettings>,
  folder: string | undefined,
): (AdminAuth & { readonly secret: Uint8Array }) | undefined {
  const secret = adminSecret === undefined ? undefined : new TextEncoder().encode(adminSecret);
  if (secret !== undefined && secret.length < minSecretBytes)
    throw new UsageError("--admin-secret must have at least 32 bytes.");
  if (secret !== undefined) return { issuer, audience, secret };
  return folder === undefined ? undefined : { ...folderAdminAuth(folder), issuer, audience };
}

/**
 * Returns how a server verifies admin tokens.
 * @throws UsageError if both a secret and a URL are set
 */
export function adminAuthFrom(
  values: SettingValues<typeof adminSettings> & { readonly adminJwksUrl?: string | undefined },
  folder: string | undefined,
): AdminAuth | undefined {
  const { adminIssuer: issuer, adminAudience: audience, adminSecret, adminJwksUrl: jwksUrl } = values;
  if (adminSecret !== undefined && jwksUrl !== undefined)
    throw new UsageError("Set --admin-secret or --admin-jwks-url, not both.");
  return jwksUrl === undefined ? adminSecretAuth(values, folder) : { issuer, audience, jwksUrl };
}
