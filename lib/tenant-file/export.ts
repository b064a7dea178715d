import { type Kind, models } from "../model/kinds.ts";
import { type BaseRecord, type Model, toJsonObject } from "../model/model.ts";
import type { Storage } from "../storage/storage.ts";
import { listKinds, nestedLists } from "./format.ts";

/**
 * The kinds that a tenant file doesn't contain. A webhook has a secret, and a copy of the tenant must not send events.
 * Nor must a session of the console be valid in the copy.
 */
const omitted: ReadonlySet<Kind> = new Set<Kind>([
  "idempotencyRecord",
  "event",
  "webhook",
  "webhookState",
  "consoleAccess",
]);

/**
 * Exports a tenant as a tenant file, with all times and archived records. API keys are exported as hashes and keep
 * working after a load. Idempotency records, events, webhooks and sessions of the console are omitted. `exported: true`
 * marks values as stored: their custom field or option may no longer exist.
 * @returns undefined if the tenant doesn't exist
 */
export async function exportTenantFile(
  storage: Storage,
  tenantId: string,
): Promise<Record<string, unknown> | undefined> {
  const tenant = await storage.get(tenantId, "tenant", tenantId);
  if (tenant === undefined) return undefined;
  const all = async (kind: Kind) => {
    const records = await storage.list(tenantId, kind, { includeArchived: true });
    return records.map((record) => toEntryJson(kind, record));
  };
  // Read records before the records that they reference, so that concurrent writes leave no missing references.
  const lists: Record<string, Record<string, unknown>[]> = {};
  for (const kind of (Object.keys(models) as Kind[]).toReversed()) {
    if (!omitted.has(kind)) lists[kind] = await all(kind);
  }
  const of = (kind: Kind) => lists[kind] ?? [];
  const withInnerList = (kind: Kind, entry: Record<string, unknown>) => {
    const inner = nestedLists[kind];
    if (inner === undefined) return entry;
    const children = of(inner.kind).filter((child) => child[inner.link] === entry.id);
    return { ...entry, [inner.name]: children.map(({ [inner.link]: _, ...rest }) => rest) };
  };
  const file = Object.entries(listKinds).map(([name, kind]) => [
    name,
    of(kind).map((entry) => withInnerList(kind, entry)),
  ]);
  return { exported: true, tenant: toEntryJson("tenant", tenant), ...Object.fromEntries(file) };
}

/** Returns a record in the format of the API, with its hidden fields. */
export function toEntryJson(kind: Kind, record: BaseRecord): Record<string, unknown> {
  const model: Model = models[kind];
  const fields = Object.entries(model.fields).map(([name, { hidden: _, ...field }]) => [name, field]);
  return toJsonObject({ ...model, fields: Object.fromEntries(fields) }, record);
}
