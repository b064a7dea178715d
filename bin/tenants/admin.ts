import type { Storage } from "#lib";
import { Failure } from "../cli/errors.ts";

/** IDs of an admin, as admin tokens and sign-in links have them. */
type Admin = { readonly tenantId: string; readonly userId: string };

/** Returns the active admin with this email address, or without one the oldest active admin. */
export async function findAdmin(storage: Storage, tenantId: string, email?: string): Promise<Admin | undefined> {
  const users = await storage.list(tenantId, "user", email === undefined ? {} : { where: { email } });
  const admins = users.filter(({ role, active }) => role === "admin" && active);
  const [oldest] = admins.toSorted((a, b) => a.createdAt - b.createdAt);
  return oldest && { tenantId, userId: oldest.id };
}

/** Finds like `findAdmin`. @throws Failure if there is none */
export async function requireAdmin(storage: Storage, tenantId: string, email?: string): Promise<Admin> {
  const admin = await findAdmin(storage, tenantId, email);
  if (admin !== undefined) return admin;
  if (email === undefined) throw new Failure("The tenant has no active admin. Add one with user add --role admin.");
  const [user] = await storage.list(tenantId, "user", { where: { email } });
  if (user === undefined) throw new Failure(`No user with the email address ${email} in the tenant ${tenantId}.`);
  throw new Failure(`${email} isn't an active admin of the tenant.`);
}
