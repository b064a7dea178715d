import { ApiError } from "../errors.ts";
import type { Storage } from "../storage.ts";
import type { AdminClaims, AdminVerifier } from "./admin-token.ts";

/**
 * The administrator whom a token speaks for: an active admin of that tenant in the database, whatever the token says.
 * @throws ApiError `401 unauthorized`, `403 insufficient_scope`
 */
export async function administrator(
  storage: Pick<Storage, "get">,
  verify: AdminVerifier | undefined,
  authorization: string | null,
  now: number,
): Promise<AdminClaims> {
  if (verify === undefined) {
    const headers = { "WWW-Authenticate": 'Bearer realm="crm-integrations admin"' };
    throw new ApiError("unauthorized", "This server is not set up for administrators' tokens.", { headers });
  }
  const claims = await verify(authorization, now);
  const user = await storage.get(claims.tenantId, "user", claims.userId);
  if (user?.role === "admin" && user.active && user.archivedAt === null) return claims;
  const message = "This needs a user who is an active administrator of the tenant.";
  throw new ApiError("insufficient_scope", message, { details: { required: "admin" } });
}
