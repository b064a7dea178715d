import type { Entity } from "../import/column-target.ts";
import type { OpenTenant } from "../tenants/tenant.ts";
import type { ApiRecord } from "./format-pages.ts";

export type ExportQuery = { readonly updatedSince: string | undefined; readonly includeArchived: boolean };

const lists: Readonly<Record<Entity, string>> = {
  account: "listAccounts",
  contact: "listContacts",
  opportunity: "listOpportunities",
  task: "listTasks",
};

/**
 * Yields all records in pages, oldest change first. A record that changes during the export is returned again.
 * @throws Failure if updatedSince is invalid
 */
export async function* readPages(
  { call }: Pick<OpenTenant, "call">,
  entity: Entity,
  { updatedSince, includeArchived }: ExportQuery,
): AsyncGenerator<readonly ApiRecord[]> {
  let query: Record<string, string | number | boolean> = { limit: 200, includeArchived };
  if (updatedSince !== undefined) query = { ...query, updatedSince };
  for (;;) {
    const { data, nextCursor } = (await call(lists[entity], { query })).body as {
      data: readonly ApiRecord[];
      nextCursor: string | null;
    };
    yield data;
    if (nextCursor === null) return;
    query = { limit: 200, cursor: nextCursor };
  }
}
