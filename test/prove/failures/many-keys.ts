import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { makeApiKey } from "../../../lib/auth/api-key.ts";
import { scopes } from "../../../lib/model/integration.ts";
import { type Tenant, tenantFile, testTenant } from "../../support/tenants.ts";

/** A tenant with so many API keys that the rate limit doesn't matter. */
export type TenantWithKeys = { readonly tenant: Tenant; readonly keys: readonly string[]; readonly file: unknown };

/** Returns a tenant whose API keys have all scopes. */
export function tenantWithKeys(size: number, number = 1): TenantWithKeys {
  const tenant = testTenant(number);
  const keys = Array.from({ length: size }, () => makeApiKey("test", randomBytes));
  const integrations = keys.map((key, index) => ({ name: `ERP ${index}`, scopes: [...scopes], keys: [{ key }] }));
  return { tenant, keys, file: { ...tenantFile(tenant), integrations } };
}

/** Writes the tenant file, for `--fixtures`. */
export function writeTenantFile(path: string, { file }: TenantWithKeys): string {
  writeFileSync(path, JSON.stringify(file));
  return path;
}
