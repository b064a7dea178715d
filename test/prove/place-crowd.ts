import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { makeApiKey } from "../../lib/auth/api-key.ts";
import { scopes } from "../../lib/model/integration.ts";
import { type Tenant, tenantFile, testTenant } from "../support/tenants.ts";

/** A tenant with so many integrations that their keys' rates together are no limit. */
export type Crowd = { readonly tenant: Tenant; readonly keys: readonly string[]; readonly file: unknown };

/** Every key may do everything, 300 times a minute. */
export function crowd(size: number, number = 1): Crowd {
  const tenant = testTenant(number);
  const keys = Array.from({ length: size }, () => makeApiKey("test", randomBytes));
  const integrations = keys.map((key, index) => ({ name: `ERP ${index}`, scopes: [...scopes], keys: [{ key }] }));
  return { tenant, keys, file: { ...tenantFile(tenant), integrations } };
}

/** Writes the tenant file of a crowd, for `--fixtures`. */
export function crowdFile(path: string, { file }: Crowd): string {
  writeFileSync(path, JSON.stringify(file));
  return path;
}
