import type { HandlerContext } from "../api/endpoint.ts";
import type { StoredRecord } from "../api/prepare-record.ts";
import { ApiError } from "../model/errors.ts";
import type { FieldValues } from "../model/model.ts";

type Reads = HandlerContext["storage"];

/** @throws ApiError `409 tenant_without_admin` if the change takes the tenant's last active admin */
export async function assertAdminRemains(
  after: FieldValues | undefined,
  before: StoredRecord | undefined,
  tenantId: string,
  storage: Reads,
): Promise<void> {
  const isAdmin = (values: FieldValues | undefined) => values?.role === "admin" && values.active === true;
  if (before === undefined || before.archivedAt !== null || !isAdmin(before) || isAdmin(after)) return;
  const admins = await storage.list(tenantId, "user", { where: { role: "admin", active: true }, limit: 2 });
  if (admins.some(({ id }) => id !== before.id)) return;
  const message = "The user is the tenant's last active admin. Add or enable another admin first.";
  throw new ApiError("tenant_without_admin", message);
}

/** @throws ApiError `409 duplicate` if the entity has another custom field with the key */
export async function assertKeyIsFree(
  after: FieldValues | undefined,
  before: StoredRecord | undefined,
  tenantId: string,
  storage: Reads,
): Promise<void> {
  if (after === undefined) return;
  const fields = await storage.list(tenantId, "customField", { where: { entity: String(after.entity) } });
  const other = fields.find(({ id, key }) => key === after.key && id !== before?.id);
  if (other !== undefined)
    throw duplicate("key", `The ${after.entity} already has a custom field with this key.`, other);
}

function duplicate(field: string, message: string, { id }: { readonly id: string }): ApiError {
  return new ApiError("duplicate", message, { details: { existingId: id, field } });
}

/** `details.count` goes up to this number. */
const maxCount = 100;

/** @throws ApiError `409 conflict` if open opportunities are in the pipeline or stage */
export async function assertUnused(
  kind: "pipeline" | "stage",
  id: string,
  tenantId: string,
  storage: Reads,
): Promise<void> {
  const where = { [`${kind}Id`]: id, status: "open" };
  const { length: count } = await storage.list(tenantId, "opportunity", { where, limit: maxCount });
  if (count === 0) return;
  const number = count === maxCount ? `at least ${maxCount}` : count;
  const message = `The ${kind} has open opportunities (${number}). Move or close them first.`;
  throw new ApiError("conflict", message, { details: { reason: "in_use", count } });
}
