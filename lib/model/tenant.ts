import * as v from "valibot";
import { entityKinds } from "./entities.ts";
import { model, type RecordOf } from "./model.ts";
import { opportunityStatuses } from "./opportunity.ts";
import { describe, nonEmptyText, uuid } from "./scalars.ts";

/** A customer. Its ID is the `tenantId` of all its records. */
export const tenant = model("tenant", "tenants", {
  name: { schema: nonEmptyText(255), required: true },
});

const when = v.strictObject({
  stageIds: v.optional(describe(v.array(uuid), "IDs of the stages. Omitted means every stage.")),
  statuses: v.optional(describe(v.array(v.picklist(opportunityStatuses)), "The statuses. Omitted means every status.")),
});

/**
 * A field that the tenant requires: always, or if the opportunity is in one of the stages and in one of the statuses.
 * `customFields.KEY` is a custom field.
 */
export const rule = model(
  "rule",
  "rules",
  {
    entity: { schema: v.picklist(entityKinds), required: true },
    field: { schema: nonEmptyText(100), required: true },
    when: { schema: v.nullable(when), column: "json" },
  },
  "A field that the tenant requires.",
  {
    entity: "Kind of the records that need the field.",
    field: "Name of the field, or `customFields.` and the key of a custom field.",
    when: "For opportunities only: the stages and statuses where the field is required. `null` means always.",
  },
);

/** Lets an external system act for a user of the tenant. */
export const grant = model(
  "grant",
  "grants",
  {
    userId: { schema: uuid, required: true, reference: "user" },
  },
  "Lets an external system act for a user of the tenant.",
  { userId: "ID of the user. The user must be active." },
);
export type Rule = RecordOf<typeof rule>;
