import type { HandlerContext } from "../api/endpoint.ts";
import type { StoredRecord } from "../api/resource-definition.ts";
import { isSameKey } from "../model/custom-field.ts";
import { ApiError } from "../model/errors.ts";
import type { FieldValues } from "../model/model.ts";

/** `details.count` goes up to this number, and `details.ids` has at most so many IDs. */
const maxCount = 100;

/** @throws ApiError `409 tenant_without_admin` if the change takes the tenant's last active admin */
export async function assertAdminRemains(
  after: FieldValues | undefined,
  before: StoredRecord | undefined,
  tenantId: string,
  { storage }: HandlerContext,
): Promise<void> {
  const isAdmin = (values: FieldValues | undefined) => values?.role === "admin" && values.active === true;
  if (before === undefined || before.archivedAt !== null || !isAdmin(before) || isAdmin(after)) return;
  const admins = await storage.list(tenantId, "user", { where: { role: "admin", active: true }, limit: 2 });
  if (admins.some(({ id }) => id !== before.id)) return;
  const message = "The user is the tenant's last active admin. Add or enable another admin first.";
  throw new ApiError("tenant_without_admin", message);
}

/**
 * Records keep the values of an archived custom field under its key. So only a field of the same type can have that
 * key.
 * @throws ApiError `409 duplicate` if the entity has an archived custom field of another type with the key
 */
export async function assertTypeOfKey(
  { entity, key, type }: FieldValues,
  before: StoredRecord | undefined,
  tenantId: string,
  { storage }: HandlerContext,
): Promise<void> {
  const where = { entity: String(entity) };
  const fields = await storage.list(tenantId, "customField", { where, includeArchived: true });
  const others = fields.filter((each) => each.id !== before?.id && isSameKey(each.key, key));
  // The storage rejects the key of an active field.
  const isActive = others.some(({ archivedAt }) => archivedAt === null);
  const archived = isActive ? undefined : others.find((each) => each.type !== type);
  if (archived === undefined) return;
  const message =
    `An archived custom field of the ${entity} has this key, and records still have its values of the type ` +
    `${archived.type}. Choose another key, or restore that field.`;
  throw new ApiError("duplicate", message, { details: { existingId: archived.id, field: "key" } });
}

/** @throws ApiError `409 conflict` if a rule requires the custom field */
export async function assertNotRequired(
  before: StoredRecord | undefined,
  tenantId: string,
  { storage }: HandlerContext,
): Promise<void> {
  const field = `customFields.${before?.key}`;
  const rules = await storage.list(tenantId, "rule", { where: { entity: String(before?.entity) } });
  const ids = rules.filter((rule) => rule.field === field).map(({ id }) => id);
  if (ids.length === 0) return;
  const [subject, object] = ids.length === 1 ? ["A rule requires", "rule"] : [`${ids.length} rules require`, "rules"];
  const message = `${subject} ${field} of the ${before?.entity}: ${ids.slice(0, 3).join(", ")}. Archive the ${object} first.`;
  throw new ApiError("conflict", message, { details: { reason: "in_use", ids: ids.slice(0, maxCount) } });
}

/** @throws ApiError `409 conflict` if the stage is the only one of its pipeline */
export async function assertNotLastStage(
  stage: StoredRecord,
  tenantId: string,
  { storage }: HandlerContext,
): Promise<void> {
  const where = { pipelineId: String(stage.pipelineId) };
  if ((await storage.list(tenantId, "stage", { where, limit: 2 })).length > 1) return;
  const message = "The stage is the only one of its pipeline. Add another stage first, or archive the pipeline.";
  throw new ApiError("conflict", message, { details: { reason: "last_stage" } });
}

/** @throws ApiError `409 conflict` if the default pipeline would no longer be the default */
export function assertStaysDefault(after: FieldValues, before: StoredRecord | undefined): void {
  const isDefault = before?.archivedAt === null && before.isDefault === true;
  if (!isDefault || after.isDefault === true) return;
  const message = "The tenant needs a default pipeline. Set isDefault to true in another pipeline instead.";
  throw new ApiError("conflict", message, { details: { reason: "default_pipeline" } });
}

/** @throws ApiError `409 conflict` if open opportunities are in the pipeline or stage */
export async function assertUnused(
  kind: "pipeline" | "stage",
  id: string,
  tenantId: string,
  { storage, expectNone }: HandlerContext,
): Promise<void> {
  const where = { [`${kind}Id`]: id, status: "open" };
  const { length: count } = await storage.list(tenantId, "opportunity", { where, limit: maxCount });
  if (count === 0) return expectNone({ kind: "opportunity", where });
  const number = count === maxCount ? `at least ${maxCount}` : count;
  const message = `The ${kind} has open opportunities (${number}). Move or close them first.`;
  throw new ApiError("conflict", message, { details: { reason: "in_use", count } });
}
