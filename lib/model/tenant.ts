import * as v from "valibot";
import { entityKinds } from "./entities.ts";
import { model, type RecordOf } from "./model.ts";
import { opportunityStatuses } from "./opportunity.ts";
import { nonEmptyText, uuid } from "./scalars.ts";

/** One customer's CRM. Its id is the `tenantId` of everything in it. */
export const tenant = model("tenant", "tenants", {
  name: { schema: nonEmptyText(255), required: true },
});

const when = v.strictObject({
  stageIds: v.optional(v.array(uuid)),
  statuses: v.optional(v.array(v.picklist(opportunityStatuses))),
});

/** A field that this tenant requires, always or at a stage or status; `customFields.<key>` names a custom one. */
export const rule = model("rule", "rules", {
  entity: { schema: v.picklist(entityKinds), required: true },
  field: { schema: nonEmptyText(100), required: true },
  when: { schema: v.nullable(when), column: "json" },
});

/** Lets a system outside act for a user of this tenant. */
export const grant = model("grant", "grants", {
  userId: { schema: uuid, required: true, reference: "user" },
});
export type Rule = RecordOf<typeof rule>;
