import type { OpenTenant } from "../tenants/tenant.ts";
import type { CatalogEntry, Entity } from "./target.ts";

/** The custom fields that the entity has, in the tenant's order; tasks have none. */
export async function catalogOf({ call }: Pick<OpenTenant, "call">, entity: Entity): Promise<readonly CatalogEntry[]> {
  if (entity === "task") return [];
  return ((await call("listCustomFields", { query: { entity } })).body as { data: readonly CatalogEntry[] }).data;
}
