import { ApiError } from "../model/errors.ts";
import type { Storage } from "../storage/storage.ts";
import { type AdminClaims, type AdminVerifier, adminUnauthorizedError } from "./admin-token.ts";
import type { Credentials } from "./authenticate-key.ts";

const noAdminAuthMessage =
  "This server accepts no admin tokens. Its operator must set adminAuth in createApi(), or start it with --data or " +
  "--admin-secret.";

/** Returns the user in the admin token of a request. @throws ApiError `401 unauthorized` */
export async function verifyAdminRequest(
  verify: AdminVerifier | undefined,
  { apiKey, authorization }: Credentials,
  now: number,
): Promise<AdminClaims> {
  if (apiKey !== null)
    throw adminUnauthorizedError("Admin endpoints accept only a bearer token. Remove x-api-key.", false);
  if (verify === undefined) throw adminUnauthorizedError(noAdminAuthMessage, false);
  return verify(authorization, now);
}

/**
 * Checks in the database that the user is an active admin of the tenant, and that the tenant isn't archived.
 * @throws ApiError `403 insufficient_scope`
 */
export async function assertAdmin(
  storage: Pick<Storage, "get">,
  { tenantId, userId }: { readonly tenantId: string; readonly userId: string | null },
): Promise<void> {
  const [tenant, user] = await Promise.all([
    storage.get(tenantId, "tenant", tenantId),
    userId === null ? undefined : storage.get(tenantId, "user", userId),
  ]);
  const isAdmin = user?.role === "admin" && user.active && user.archivedAt === null;
  if (isAdmin && tenant?.archivedAt === null) return;
  const message = "The user isn't an active admin of the tenant.";
  throw new ApiError("insufficient_scope", message, { details: { required: "admin" } });
}
