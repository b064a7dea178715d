import { existsSync } from "node:fs";
import { signAdminToken } from "../../lib/index.ts";
import { sqliteStorage } from "../../lib/sqlite/index.ts";
import { command } from "../command.ts";
import { adminAuthOf, databaseFile, dataDefault } from "../data-folder.ts";
import { word } from "../setting.ts";
import { Failure, UsageError } from "../usage.ts";

const lifetimeSeconds = 30 * 60;

export const tokenCommand = command({
  name: "token",
  summary: "Print an administrator's token of 30 minutes for the database in a folder",
  settings: {
    tenant: word("ID", "the tenant's id"),
    user: word("EMAIL", "the e-mail address of an active administrator"),
    data: word("DIR", "the folder of the database", { default: dataDefault }),
  },
  examples: ["crm-integrations token --tenant 0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11 --user ana@example.com"],
  async run({ data, tenant, user: email }) {
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
  },
});
