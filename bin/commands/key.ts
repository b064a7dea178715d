import { command, type ProgramCommand } from "../cli/command.ts";
import { maskKeys } from "../cli/mask.ts";
import { printOnce } from "../cli/output.ts";
import { booleanSetting, stringSetting, type Values } from "../cli/setting.ts";
import { tableText } from "../cli/table.ts";
import { Failure, UsageError } from "../cli/usage.ts";
import { tenantSettings, withTenant } from "../tenants/tenant.ts";

type Shown = Readonly<Record<string, unknown>> & { readonly id: string; readonly name: string };

const making = {
  ...tenantSettings,
  integration: stringSetting(
    "NAME",
    "name of the integration, created if there is none (default: the first integration)",
  ),
  scopes: stringSetting(
    "LIST",
    "scopes of a new integration, such as tasks:read,tasks:write (required unless it is the first)",
  ),
  expires: stringSetting("TIME", "until when the key works, such as 2027-01-01T00:00:00Z (default: for ever)"),
  json: booleanSetting("as JSON, with the key"),
} as const;

const keyCreate = command({
  name: "key create",
  summary: "Make an API key and show it, once",
  settings: making,
  examples: [
    "crm-integrations key create",
    "crm-integrations key create --integration Website --scopes contacts:write",
  ],
  run: (values) => make(values, false),
});

const keyRotate = command({
  name: "key rotate",
  summary: "Make an API key, and revoke the older of two active ones",
  settings: making,
  examples: ["crm-integrations key rotate --integration Website"],
  run: (values) => make(values, true),
});

const keyList = command({
  name: "key list",
  summary: "List the API keys, masked",
  settings: { ...tenantSettings, json: booleanSetting("as JSON") },
  examples: ["crm-integrations key list", "crm-integrations key list --tenant Acme --json"],
  async run({ json, ...place }) {
    const { data } = (await withTenant(place, ({ call }) => call("listApiKeys"))).body as { data: Shown[] };
    const columns = ["id", "integrationName", "maskedKey", "status", "createdAt", "lastUsedAt"];
    process.stdout.write(json ? `${JSON.stringify(data, null, 2)}\n` : tableText(data, columns));
  },
});

const keyRevoke = command({
  name: "key revoke",
  summary: "Revoke an API key, by its id, by what key list shows of it or by itself; it is refused from then on",
  operands: "<KEY>",
  settings: tenantSettings,
  examples: ["crm-integrations key revoke crm_live_x7Kq92Lm_****"],
  async run(place, [asked = ""]) {
    await withTenant(place, async ({ call }) => {
      const { data } = (await call("listApiKeys")).body as { data: Shown[] };
      const name = maskKeys(asked.trim());
      const found = data.filter(({ id, maskedKey }) => id === name.toLowerCase() || maskedKey === name);
      const [key, ...more] = found;
      if (key === undefined || more.length > 0)
        throw new UsageError(`No key is called ${name.slice(0, 36)}; see: key list`);
      await call("revokeApiKey", { params: { id: key.id }, body: {} });
      process.stdout.write(`Revoked ${key.maskedKey} of ${key.integrationName}.\n`);
    });
  },
});

export const keyCommands: readonly ProgramCommand[] = [keyCreate, keyList, keyRotate, keyRevoke];

async function make(
  { integration, scopes, expires, json, ...place }: Values<typeof making>,
  rotate: boolean,
): Promise<void> {
  await withTenant(place, async ({ call }) => {
    const allowed = scopes === undefined ? {} : { scopes: scopes.split(",").map((scope) => scope.trim()) };
    const until = expires === undefined ? {} : { expiresAt: expires };
    const named = integration === undefined ? {} : { name: integration };
    const { body } = await call("generateApiKey", { body: { ...named, ...allowed, ...until, rotate } });
    const { data } = body as { data: Shown & { key: string; integrationName: string; scopes: string[] } };
    const lines = [
      data.key,
      "",
      `It is shown this once. Integration ${data.integrationName}: ${data.scopes.join(", ")}`,
    ];
    const lost = await printOnce(`${json ? JSON.stringify(data, null, 2) : lines.join("\n")}\n`);
    if (lost === undefined) return;
    const way = `Revoke it and make another: key revoke '${data.maskedKey}'`;
    throw new Failure(`The key ${data.maskedKey} was made, but could not be shown (${lost}). ${way}`);
  });
}
