import { createApi } from "#lib";
import { createConsole } from "#lib/console";
import { command } from "../cli/command.ts";
import { parseAddress, stringSetting } from "../cli/setting.ts";
import { openDatabase } from "../database/database.ts";
import { adminSettings } from "../server/admin-auth.ts";
import { assertConsoleOrigin, consoleOriginSetting, consoleSecret, linkOrigin } from "../server/console.ts";
import { serveSettings } from "../server/serve-settings.ts";
import { requireAdmin } from "../tenants/admin.ts";
import { findTenant, tenantSettings } from "../tenants/tenant.ts";

export const consoleCommand = command({
  name: "console",
  summary: "Print a link that signs an admin in to the console of a running server",
  details: "The link works once, within 10 minutes. Use the same settings as for serve.",
  settings: {
    ...tenantSettings,
    user: stringSetting("EMAIL", "email address of an active admin (default: the oldest active admin)"),
    listen: serveSettings.listen,
    ...consoleOriginSetting,
    ...adminSettings,
  },
  examples: [
    "crm-integrations console",
    "crm-integrations console --user ana@example.com --console-origin https://crm.example.com",
  ],
  async run({ data, database, tenant, user: email, listen, consoleOrigin, ...admin }, _operands, program) {
    const { host, port } = parseAddress(listen, "--listen");
    assertConsoleOrigin(consoleOrigin);
    const origin = linkOrigin(consoleOrigin, `http://${host.includes(":") ? `[${host}]` : host}:${port}`);
    const { storage, folder } = await openDatabase({ data, database }, program);
    const api = createApi({ storage });
    try {
      const { id: tenantId } = await findTenant(storage, tenant);
      const user = await requireAdmin(storage, tenantId, email);
      const console = createConsole({ api, assets: new Map(), secret: consoleSecret(admin, folder) });
      program.stdout.write(`${await console.createSignInLink(user, origin)}\n`);
    } finally {
      await api.close();
    }
  },
});
