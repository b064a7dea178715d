import { ApiError } from "../model/errors.ts";
import type { Storage } from "../storage/storage.ts";
import type { AdminClaims, AdminVerifier } from "./admin-token.ts";
import type { Credentials } from "./authenticate-key.ts";

/** Whom the token of a request speaks for. @throws ApiError `401 unauthorized` */
export async function verifyAdminRequest(
  verify: AdminVerifier | undefined,
  { apiKey, authorization }: Credentials,
  now: number,
): Promise<AdminClaims> {
  if (apiKey !== null) throw unauthorized("Administrators' endpoints take a token alone, without x-api-key.");
  if (verify === undefined) throw unauthorized("This server is not set up for administrators' tokens.");
  return verify(authorization, now);
}

/**
 * Whether the user is an active admin of that tenant in the database, whatever the token says. A tenant that was
 * archived has none, as its keys open nothing.
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
  const message = "This needs a user who is an active administrator of the tenant.";
  throw new ApiError("insufficient_scope", message, { details: { required: "admin" } });
}

function unauthorized(message: string): ApiError {
  const headers = { "WWW-Authenticate": 'Bearer realm="crm-integrations admin"' };
  return new ApiError("unauthorized", message, { headers });
}
