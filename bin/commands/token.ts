import { signAdminToken } from "#lib";
import { command } from "../cli/command.ts";
import { UsageError } from "../cli/errors.ts";
import { stringSetting } from "../cli/setting.ts";
import { openDatabase } from "../database/database.ts";
import { adminSecretAuth, adminSettings } from "../server/admin-auth.ts";
import { requireAdmin } from "../tenants/admin.ts";
import { findTenant, tenantSettings } from "../tenants/tenant.ts";

const noSecret = "With PostgreSQL, token requires the secret of the servers: --admin-secret or CRM_ADMIN_SECRET_FILE.";
const lifetimeSeconds = 30 * 60;

export const tokenCommand = command({
  name: "token",
  summary: "Print an admin token that is valid for 30 minutes",
  settings: {
    ...tenantSettings,
    user: stringSetting("EMAIL", "email address of an active admin"),
    ...adminSettings,
  },
  examples: [
    "crm-integrations token --user ana@example.com",
    "crm-integrations token --tenant Acme --user ana@example.com",
  ],
  async run({ data, database, tenant, user: email, ...admin }, _operands, program) {
    if (email === undefined) throw new UsageError("token requires --user EMAIL.");
    const { storage, folder } = await openDatabase({ data, database }, program);
    try {
      const auth = adminSecretAuth(admin, folder);
      if (auth === undefined) throw new UsageError(noSecret);
      const { id: tenantId } = await findTenant(storage, tenant);
      const user = await requireAdmin(storage, tenantId, email);
      const issuedAt = Math.floor(Date.now() / 1000);
      const times = { issuedAt, expiresAt: issuedAt + lifetimeSeconds };
      program.stdout.write(`${await signAdminToken(auth, user, times)}\n`);
    } finally {
      await storage.close();
    }
  },
});
