import { randomBytes } from "node:crypto";
import { makeApiKey, scopes, uuidV7 } from "#lib";

/** What a tenant begins with: an administrator, a pipeline to sell in, and an integration with a key for everything. */
export type NewTenant = { readonly name: string; readonly adminName: string; readonly adminEmail: string };

/** The tenant as a tenant file. */
export function newTenantFile({ name, adminName, adminEmail }: NewTenant): Record<string, unknown> {
  const stages = ["New", "Qualified", "Proposal", "Negotiation"].map((stage, index) => {
    return { name: stage, order: index + 1, probability: 10 + index * 25 };
  });
  const key = makeApiKey("live", randomBytes);
  return {
    tenant: { id: uuidV7(Date.now()), name },
    users: [{ name: adminName, email: adminEmail, role: "admin" }],
    pipelines: [{ name: "Sales", isDefault: true, stages }],
    integrations: [{ name: "Integration", scopes, keys: [{ key }] }],
  };
}
