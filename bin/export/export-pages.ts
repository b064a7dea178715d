import type { Entity } from "../import/target.ts";
import type { OpenTenant } from "../tenants/tenant.ts";

/** A record as the API shows it. */
export type ApiRecord = Readonly<Record<string, unknown>>;

export type ExportQuery = { readonly updatedSince: string | undefined; readonly includeArchived: boolean };

const lists: Readonly<Record<Entity, string>> = {
  account: "listAccounts",
  contact: "listContacts",
  opportunity: "listOpportunities",
  task: "listTasks",
};

/**
 * All records, page by page, the oldest change first. One that is changed meanwhile comes once more, at the end.
 * @throws Failure where updatedSince is no time
 */
export async function* pagesOf(
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
