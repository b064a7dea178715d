import type { LoadedTenant } from "#lib/tenant-file";
import { localUrl } from "./console.ts";
import type { Notices } from "./initial-data.ts";

/** The address and the database of a running server. */
export type ServerInfo = {
  readonly url: string;
  readonly baseUrl: string;
  /** File or address without password. Undefined if in memory. */
  readonly database: string | undefined;
  readonly isNew: boolean;
  /** A link that signs the first admin in to the console. */
  readonly signInLink: string | undefined;
};

/** The tenants of `--fixtures`, and the first tenant if this start created it. */
type StartTenants = {
  readonly loaded: readonly LoadedTenant[];
  readonly created: readonly LoadedTenant[];
  readonly adminEmail: string;
};

/** Formats the JSON line that `--json` prints at startup, with the keys that aren't revoked. */
export function readyMessage({ url, baseUrl, signInLink }: ServerInfo, tenants: readonly LoadedTenant[]): string {
  const keys = tenants.flatMap((tenant) => tenant.keys).filter(({ revoked }) => !revoked);
  const active = keys.map(({ tenant, integration, key, scopes }) => ({ tenant, integration, key, scopes }));
  return `${JSON.stringify({ url, baseUrl, keys: active, pid: process.pid, signInLink })}\n`;
}

/** Formats the startup text: at most 15 lines, with a command to try. */
export function banner(
  { baseUrl, database, isNew, signInLink }: ServerInfo,
  { loaded, created, adminEmail }: StartTenants,
  notices: Notices,
): string {
  const tenants = [...loaded, ...created];
  const names = tenants.slice(0, 3).map(({ name, created }) => `${name}${created ? "" : " (already exists)"}`);
  const key = tenants
    .flatMap(({ keys }) => keys)
    .find(({ revoked, scopes }) => !revoked && scopes.includes("tasks:read"));
  const address = localUrl(baseUrl);
  const lines = [
    `crm-integrations is running at ${address}${address === baseUrl ? "" : " and listens on all addresses"}`,
    `  database  ${database === undefined ? "in memory, discarded on exit" : `${database}${isNew ? " (new)" : ""}`}`,
    ...(names.length > 0 ? [`  tenants   ${names.join(", ")}${tenants.length > 3 ? ", ..." : ""}`] : []),
    ...created.flatMap((tenant) => firstTenantLines(tenant, adminEmail)),
    ...(signInLink === undefined ? [] : [`  console   ${signInLink}`, "            (works once, for 10 minutes)"]),
    ...noticeLines(notices, key !== undefined || created.length > 0),
    ...(key === undefined ? [] : ["", "Try it:", "", `  curl -H 'x-api-key: ${key.key}' '${address}/tasks?limit=3'`]),
    "",
    "Press Ctrl-C to stop.",
  ];
  return `${lines.join("\n")}\n`;
}

function firstTenantLines({ tenantId, keys }: LoadedTenant, adminEmail: string): string[] {
  const [apiKey] = keys;
  return [
    `  tenant ID ${tenantId}, admin ${adminEmail}`,
    ...(apiKey === undefined
      ? ["  API key   the one of the setting firstKey"]
      : [`  API key   ${apiKey.key}`, "            (not shown again; store it safely)"]),
  ];
}

function noticeLines({ hasTestKeys, createKey }: Notices, isKeyShown: boolean): string[] {
  const warning =
    "  WARNING   test keys are active; the keys of the demo are public. See the log or run: crm-integrations check";
  const hint = `  API key   no API key has been used yet. To create one: ${createKey}`;
  return [...(hasTestKeys ? [warning] : []), ...(createKey === undefined || isKeyShown ? [] : [hint])];
}
