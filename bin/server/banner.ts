import type { LoadedTenant } from "#lib/tenant-file";
import type { Notices } from "./start-up.ts";

/** The administrator of the tenant that the first start makes. */
export const firstAdminEmail = "admin@crm.local";

/** Where the program serves, and from what. */
export type ServerInfo = {
  readonly url: string;
  readonly baseUrl: string;
  /** Its name; undefined in memory. */
  readonly database: string | undefined;
  readonly isNew: boolean;
};

/** The first line for a program that starts this one, with the keys that were not revoked. */
export function readyMessage({ url, baseUrl }: ServerInfo, tenants: readonly LoadedTenant[]): string {
  const keys = tenants.flatMap((tenant) => tenant.keys).filter(({ revoked }) => !revoked);
  const shown = keys.map(({ tenant, integration, key, scopes }) => ({ tenant, integration, key, scopes }));
  return `${JSON.stringify({ url, baseUrl, keys: shown, pid: process.pid })}\n`;
}

/** At most 15 lines, with a command that works when pasted. */
export function banner(
  { baseUrl, database, isNew }: ServerInfo,
  tenants: readonly LoadedTenant[],
  first?: LoadedTenant,
  notices?: Notices,
): string {
  const names = tenants.slice(0, 3).map(({ name, created }) => `${name}${created ? "" : " (was there already)"}`);
  const key = tenants
    .flatMap(({ keys }) => keys)
    .find(({ revoked, scopes }) => !revoked && scopes.includes("tasks:read"));
  const lines = [
    `crm-integrations serves ${baseUrl}`,
    `  database  ${database === undefined ? "in memory; gone when this stops" : `${database}${isNew ? " (new)" : ""}`}`,
    ...(names.length > 0 ? [`  tenants   ${names.join(", ")}${tenants.length > 3 ? ", ..." : ""}`] : []),
    ...(first === undefined ? [] : firstLines(first)),
    ...(notices === undefined ? [] : noticeLines(notices, key !== undefined)),
    ...(key === undefined ? [] : ["", "Try it:", "", `  curl -H 'x-api-key: ${key.key}' '${baseUrl}/tasks?limit=3'`]),
    "",
    "Ctrl-C stops it.",
  ];
  return `${lines.join("\n")}\n`;
}

function firstLines({ tenantId, keys }: LoadedTenant): string[] {
  return [
    `  tenant id ${tenantId}, its administrator ${firstAdminEmail}`,
    `  API key   ${keys[0]?.key}`,
    "            (shown this once; keep it safe)",
  ];
}

function noticeLines({ hasTestKeys, createKey }: Notices, isKeyShown: boolean): string[] {
  const warning =
    "  WARNING   test keys work here; those of the demo are published. See the log or run: crm-integrations check";
  const hint = `  API key   no API key has been used yet. To create a new one: ${createKey}`;
  return [...(hasTestKeys ? [warning] : []), ...(createKey === undefined || isKeyShown ? [] : [hint])];
}
