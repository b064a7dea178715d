import { randomBytes } from "node:crypto";
import { makeApiKey } from "#lib";
import { command, type ProgramCommand } from "../cli/command.ts";
import { Failure, UsageError } from "../cli/errors.ts";
import { formatTable, maskKeys } from "../cli/format.ts";
import { tryPrint } from "../cli/output-errors.ts";
import type { ProgramProcess } from "../cli/program-process.ts";
import { booleanSetting, type SettingValues, stringSetting } from "../cli/setting.ts";
import { tenantSettings, withTenant } from "../tenants/tenant.ts";

type KeyJson = Readonly<Record<string, unknown>> & { readonly id: string; readonly name: string };

const createSettings = {
  ...tenantSettings,
  integration: stringSetting(
    "NAME",
    "integration that owns the key; created if it doesn't exist (default: the first integration)",
  ),
  scopes: stringSetting(
    "LIST",
    "scopes of a new integration, such as tasks:read,tasks:write (required if it isn't the first)",
  ),
  expires: stringSetting("TIME", "expiry time of the key, such as 2027-01-01T00:00:00Z (default: never)"),
  json: booleanSetting("print JSON with the key"),
} as const;

const keyCreate = command({
  name: "key create",
  summary: "Create an API key; it is shown only once",
  settings: createSettings,
  examples: [
    "crm-integrations key create",
    "crm-integrations key create --integration Website --scopes contacts:write",
  ],
  run: (values, _operands, program) => createKey(values, program, false),
});

const keyRotate = command({
  name: "key rotate",
  summary: "Create an API key and revoke the older of two active keys",
  settings: createSettings,
  examples: ["crm-integrations key rotate --integration Website"],
  run: (values, _operands, program) => createKey(values, program, true),
});

const keyList = command({
  name: "key list",
  summary: "List the API keys; values are masked",
  settings: { ...tenantSettings, json: booleanSetting("print JSON") },
  examples: ["crm-integrations key list", "crm-integrations key list --tenant Acme --json"],
  async run({ json, ...tenantValues }, _operands, program) {
    const { data } = (await withTenant(tenantValues, program, ({ call }) => call("listApiKeys"))).body as {
      data: KeyJson[];
    };
    const columns = ["id", "integrationName", "maskedKey", "status", "createdAt", "lastUsedAt", "expiresAt", "scopes"];
    program.stdout.write(json ? `${JSON.stringify(data, null, 2)}\n` : formatTable(data, columns));
  },
});

const keyRevoke = command({
  name: "key revoke",
  summary: "Revoke an API key, given by ID, masked value or full value",
  operands: "<KEY>",
  settings: tenantSettings,
  examples: ["crm-integrations key revoke 'crm_live_x7Kq92Lm_****'"],
  async run(tenantValues, [key = ""], program) {
    await withTenant(tenantValues, program, async ({ call }) => {
      const { data } = (await call("listApiKeys")).body as { data: KeyJson[] };
      const value = maskKeys(key.trim());
      const found = data.filter(({ id, maskedKey }) => id === value.toLowerCase() || maskedKey === value);
      const [match, ...more] = found;
      if (match === undefined || more.length > 0)
        throw new UsageError(`No API key matches ${value.slice(0, 36)}. Run key list to see all keys.`);
      await call("revokeApiKey", { params: { id: match.id }, body: {} });
      program.stdout.write(`Revoked ${match.maskedKey} of ${match.integrationName}.\n`);
    });
  },
});

const keyGenerate = command({
  name: "key generate",
  summary: "Print a random API key for the setting firstKey of serve, without a database",
  settings: {},
  examples: ["(umask 077; crm-integrations key generate > first-key)"],
  async run(_values, _operands, program) {
    program.stdout.write(`${makeApiKey("live", randomBytes)}\n`);
  },
});

export const keyCommands: readonly ProgramCommand[] = [keyCreate, keyGenerate, keyList, keyRotate, keyRevoke];

const keyOptions = { "/name": "--integration", "/scopes": "--scopes", "/expiresAt": "--expires" };

async function createKey(
  { integration, scopes, expires, json, ...tenantValues }: SettingValues<typeof createSettings>,
  program: ProgramProcess,
  rotate: boolean,
): Promise<void> {
  await withTenant(tenantValues, program, async ({ call }) => {
    const scopeBody = scopes === undefined ? {} : { scopes: scopes.split(",").map((scope) => scope.trim()) };
    const expiryBody = expires === undefined ? {} : { expiresAt: expires };
    const nameBody = integration === undefined ? {} : { name: integration };
    const request = { ...nameBody, ...scopeBody, ...expiryBody, rotate };
    const { body } = await call("generateApiKey", { body: request }, keyOptions);
    const { data } = body as { data: KeyJson & { key: string; integrationName: string; scopes: string[] } };
    const lines = [
      data.key,
      "",
      `The key is not shown again. Integration ${data.integrationName}: ${data.scopes.join(", ")}`,
    ];
    const errorCode = await tryPrint(program.stdout, `${json ? JSON.stringify(data, null, 2) : lines.join("\n")}\n`);
    if (errorCode === undefined) return;
    const remedy = `Revoke it and create another: key revoke '${data.maskedKey}'`;
    throw new Failure(`The key ${data.maskedKey} was created, but can't be printed (${errorCode}). ${remedy}`);
  });
}
