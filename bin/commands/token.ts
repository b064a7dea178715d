import { existsSync } from "node:fs";
import { signAdminToken } from "../lib/index.ts";
import { sqliteStorage } from "../lib/sqlite/index.ts";
import { adminAuthOf, databaseFile, dataDefault } from "./data-folder.ts";
import { Failure, UsageError } from "./usage.ts";

export const tokenOptions = {
  data: { type: "string", default: dataDefault },
  tenant: { type: "string" },
  user: { type: "string" },
} as const;

export type TokenOptions = {
  readonly data: string;
  readonly tenant?: string | undefined;
  readonly user?: string | undefined;
};

const lifetimeSeconds = 30 * 60;

/** Prints a token of 30 minutes for an administrator of a tenant in a local data folder. */
export async function tokenCommand({ data, tenant, user: email }: TokenOptions): Promise<void> {
  if (tenant === undefined || email === undefined) throw new UsageError("token needs --tenant ID and --user EMAIL.");
  const file = databaseFile(data);
  if (!existsSync(file))
    throw new Failure(`There is no database ${file}. Serve it first, or name its folder with --data.`);
  const storage = sqliteStorage({ file });
  const [user] = await storage.list(tenant.toLowerCase(), "user", { where: { email } });
  await storage.close();
  if (user === undefined) throw new Failure(`There is no user ${email} in the tenant ${tenant}.`);
  if (user.role !== "admin" || !user.active)
    throw new Failure(`${email} is not an active administrator of the tenant.`);
  const issuedAt = Math.floor(Date.now() / 1000);
  const times = { issuedAt, expiresAt: issuedAt + lifetimeSeconds };
  const claims = { tenantId: tenant.toLowerCase(), userId: user.id };
  process.stdout.write(`${await signAdminToken(adminAuthOf(data), claims, times)}\n`);
}
