import { signAdminToken } from "../../lib/index.ts";
import { adminSecretAuth, adminSettings } from "../admin-auth.ts";
import { command } from "../command.ts";
import { databaseSettings, openStorage } from "../database.ts";
import { word } from "../setting.ts";
import { Failure, UsageError } from "../usage.ts";

const noSecret =
  "On PostgreSQL, token needs the secret that the servers have: --admin-secret or CRM_ADMIN_SECRET_FILE.";
const lifetimeSeconds = 30 * 60;

export const tokenCommand = command({
  name: "token",
  summary: "Print an administrator's token of 30 minutes",
  settings: {
    tenant: word("ID", "the tenant's id"),
    user: word("EMAIL", "the e-mail address of an active administrator"),
    ...databaseSettings,
    ...adminSettings,
  },
  examples: ["crm-integrations token --tenant 0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11 --user ana@example.com"],
  async run({ data, database, tenant, user: email, ...admin }) {
    if (tenant === undefined || email === undefined) throw new UsageError("token needs --tenant ID and --user EMAIL.");
    const { storage, folder } = await openStorage({ data, database });
    try {
      const auth = adminSecretAuth(admin, folder);
      if (auth === undefined) throw new UsageError(noSecret);
      const [user] = await storage.list(tenant.toLowerCase(), "user", { where: { email } });
      if (user === undefined) throw new Failure(`There is no user ${email} in the tenant ${tenant}.`);
      if (user.role !== "admin" || !user.active)
        throw new Failure(`${email} is not an active administrator of the tenant.`);
      const issuedAt = Math.floor(Date.now() / 1000);
      const times = { issuedAt, expiresAt: issuedAt + lifetimeSeconds };
      const claims = { tenantId: tenant.toLowerCase(), userId: user.id };
      process.stdout.write(`${await signAdminToken(auth, claims, times)}\n`);
    } finally {
      await storage.close();
    }
  },
});
