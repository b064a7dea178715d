import type { Kind } from "../model/kinds.ts";
import type { BaseRecord } from "../model/model.ts";
import type { Position, Storage } from "../storage/storage.ts";
import { toEntryJson } from "./export.ts";
import { listKinds, nestedLists } from "./format.ts";

/** Number of records per read. */
const pageSize = 500;
/**
 * Exports a tenant as the text of a tenant file, one line per record. Only one page of records is in memory at a time.
 * `storage` must be a snapshot.
 * @returns undefined if the tenant doesn't exist
 */
export async function streamTenantFile(
  storage: Storage,
  tenantId: string,
): Promise<AsyncGenerator<string> | undefined> {
  const tenant = await storage.get(tenantId, "tenant", tenantId);
  return tenant === undefined ? undefined : streamText(storage, tenant);
}

async function* streamText(storage: Storage, tenant: BaseRecord): AsyncGenerator<string> {
  yield `{\n  "exported": true,\n  "tenant": ${JSON.stringify(toEntryJson("tenant", tenant))}`;
  for (const [name, kind] of Object.entries(listKinds)) {
    yield `,\n  "${name}": [`;
    let separator = "";
    for await (const page of readPages(storage, tenant.id, kind)) {
      const lines = await Promise.all(page.map((record) => withInnerList(storage, tenant.id, kind, record)));
      yield separator + lines.map((line) => `\n    ${JSON.stringify(line)}`).join(",");
      separator = ",";
    }
    yield separator === "" ? "]" : "\n  ]";
  }
  yield "\n}\n";
}

async function* readPages(storage: Storage, tenantId: string, kind: Kind): AsyncGenerator<readonly BaseRecord[]> {
  let after: Position | undefined;
  for (;;) {
    const start = after === undefined ? {} : { after };
    const page = await storage.list(tenantId, kind, { includeArchived: true, limit: pageSize, ...start });
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = { updatedAt: last.updatedAt, id: last.id };
  }
}

/** Returns the entry of a record, with its stages or API keys if it has any. */
async function withInnerList(
  storage: Storage,
  tenantId: string,
  kind: Kind,
  record: BaseRecord,
): Promise<Record<string, unknown>> {
  const inner = nestedLists[kind];
  const entry = toEntryJson(kind, record);
  if (inner === undefined) return entry;
  const children = await storage.list(tenantId, inner.kind, {
    includeArchived: true,
    where: { [inner.link]: record.id },
  });
  const entries = children.map((child) => toEntryJson(inner.kind, child)).map(({ [inner.link]: _, ...rest }) => rest);
  return { ...entry, [inner.name]: entries };
}
