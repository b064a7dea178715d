import { randomBytes } from "node:crypto";
import { makeApiKey, scopes, uuidV7 } from "#lib";

/** Name and admin of a new tenant. `key` is its API key, which is random by default. */
export type NewTenant = {
  readonly name: string;
  readonly adminName: string;
  readonly adminEmail: string;
  readonly key?: string | undefined;
};

/** Returns a tenant file with an admin, a pipeline, and an integration whose API key has all scopes. */
export function newTenantFile({ name, adminName, adminEmail, key }: NewTenant): Record<string, unknown> {
  const stages = ["New", "Qualified", "Proposal", "Negotiation"].map((stage, index) => {
    return { name: stage, order: index + 1, probability: 10 + index * 25 };
  });
  return {
    tenant: { id: uuidV7(Date.now()), name },
    users: [{ name: adminName, email: adminEmail, role: "admin" }],
    pipelines: [{ name: "Sales", isDefault: true, stages }],
    integrations: [{ name: "Integration", scopes, keys: [{ key: key ?? makeApiKey("live", randomBytes) }] }],
  };
}
