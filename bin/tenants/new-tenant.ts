import { randomBytes } from "node:crypto";
import { makeApiKey, scopes, systemClock, uuidV7 } from "#lib";
import { checkTenantFile, TenantFileError } from "#lib/tenant-file";
import { Failure } from "../cli/errors.ts";
import { optionMessage } from "../cli/option-message.ts";

/** Name and admin of a new tenant. `key` is its API key, which is random by default. */
export type NewTenant = {
  readonly name: string;
  readonly adminName: string;
  readonly adminEmail: string;
  readonly key?: string | undefined;
};

/** Sources of the values of a new tenant, such as `--admin-email`, for messages. */
export type NewTenantSources = {
  readonly tenantName: string;
  readonly adminName: string;
  readonly adminEmail: string;
  readonly firstKey?: string;
};

/** Checks the file of a new tenant without a database. @throws Failure that names the sources of invalid values */
export async function assertNewTenant(
  file: Readonly<Record<string, unknown>>,
  { tenantName, adminName, adminEmail, firstKey = "" }: NewTenantSources,
): Promise<void> {
  const names = {
    "/tenant/name": tenantName,
    "/users/0/name": adminName,
    "/users/0/email": adminEmail,
    "/integrations/0/keys/0/key": firstKey,
  };
  try {
    await checkTenantFile(undefined, file, { clock: systemClock, newId: () => uuidV7(Date.now()) });
  } catch (error) {
    if (!(error instanceof TenantFileError)) throw error;
    throw new Failure(error.issues.map(({ problem }) => optionMessage(problem, names)).join("\n  "), { cause: error });
  }
}

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
