import { type Kind, models } from "../records/kinds.ts";
import { type Model, present, type Stamps } from "../records/model.ts";
import type { Storage } from "../storage.ts";

/**
 * A tenant as a tenant file: loaded into another storage it is the same tenant, times included. Idempotency records
 * stay behind, and API keys go by their hashes, so clients keep theirs. Archived records are in it.
 * @returns undefined where there is no such tenant
 */
export async function exportTenantFile(
  storage: Storage,
  tenantId: string,
): Promise<Record<string, unknown> | undefined> {
  const tenant = await storage.get(tenantId, "tenant", tenantId);
  if (tenant === undefined) return undefined;
  const all = async (kind: Kind) => {
    const records = await storage.list(tenantId, kind, { archived: true });
    return records.map((record) => entry(kind, record));
  };
  const stages = await all("stage");
  const keys = await all("apiKey");
  const within = (children: Record<string, unknown>[], parent: string, id: unknown) =>
    children.filter((child) => child[parent] === id).map(({ [parent]: _, ...rest }) => rest);
  return {
    tenant: entry("tenant", tenant),
    users: await all("user"),
    pipelines: (await all("pipeline")).map((each) => ({ ...each, stages: within(stages, "pipelineId", each.id) })),
    customFields: await all("customField"),
    rules: await all("rule"),
    integrations: (await all("integration")).map((each) => ({ ...each, keys: within(keys, "integrationId", each.id) })),
    grants: await all("grant"),
    accounts: await all("account"),
    contacts: await all("contact"),
    opportunities: await all("opportunity"),
    tasks: await all("task"),
  };
}

/** The record as the API shows it, hidden fields included: a file that is loaded again needs them. */
function entry(kind: Kind, record: Stamps): Record<string, unknown> {
  const model: Model = models[kind];
  const fields = Object.entries(model.fields).map(([name, { hidden: _, ...field }]) => [name, field]);
  return present({ ...model, fields: Object.fromEntries(fields) }, record);
}
