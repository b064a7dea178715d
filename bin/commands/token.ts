import { signAdminToken } from "#lib";
import { command } from "../cli/command.ts";
import { stringSetting } from "../cli/setting.ts";
import { Failure, UsageError } from "../cli/usage.ts";
import { openStorage } from "../database/database.ts";
import { adminSecretAuth, adminSettings } from "../server/admin-auth.ts";
import { tenantIdOf, tenantSettings } from "../tenants/tenant.ts";

const noSecret =
  "On PostgreSQL, token needs the secret that the servers have: --admin-secret or CRM_ADMIN_SECRET_FILE.";
const lifetimeSeconds = 30 * 60;

export const tokenCommand = command({
  name: "token",
  summary: "Print an administrator's token of 30 minutes",
  settings: {
    ...tenantSettings,
    user: stringSetting("EMAIL", "the e-mail address of an active administrator"),
    ...adminSettings,
  },
  examples: [
    "crm-integrations token --user ana@example.com",
    "crm-integrations token --tenant Acme --user ana@example.com",
  ],
  async run({ data, database, tenant, user: email, ...admin }) {
    if (email === undefined) throw new UsageError("token needs --user EMAIL.");
    const { storage, folder } = await openStorage({ data, database });
    try {
      const auth = adminSecretAuth(admin, folder);
      if (auth === undefined) throw new UsageError(noSecret);
      const tenantId = await tenantIdOf(storage, tenant);
      const [user] = await storage.list(tenantId, "user", { where: { email } });
      if (user === undefined) throw new Failure(`There is no user ${email} in the tenant ${tenantId}.`);
      if (user.role !== "admin" || !user.active)
        throw new Failure(`${email} is not an active administrator of the tenant.`);
      const issuedAt = Math.floor(Date.now() / 1000);
      const times = { issuedAt, expiresAt: issuedAt + lifetimeSeconds };
      process.stdout.write(`${await signAdminToken(auth, { tenantId, userId: user.id }, times)}\n`);
    } finally {
      await storage.close();
    }
  },
});
