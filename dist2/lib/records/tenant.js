import * as v from "valibot";
import { filledText, oneOf, uuid } from "../input/scalars.js";
import { customEntities } from "./custom-field.js";
import { model } from "./model.js";
import { opportunityStatuses } from "./opportunity.js";
/** One customer's CRM. Its id is the `tenantId` of everything in it. */
export const tenant = model("tenant", "tenants", {
    name: { schema: filledText(255), required: true },
});
const when = v.strictObject({
    stageIds: v.optional(v.array(uuid)),
    statuses: v.optional(v.array(oneOf(opportunityStatuses))),
});
/** A field that this tenant requires, always or at a stage or status; `customFields.<key>` names a custom one. */
export const rule = model("rule", "rules", {
    entity: { schema: oneOf([...customEntities, "task"]), required: true },
    field: { schema: filledText(100), required: true },
    when: { schema: v.nullable(when), column: "json" },
});
/** Lets a system outside act for a user of this tenant. */
export const grant = model("grant", "grants", {
    userId: { schema: uuid, required: true, reference: "user" },
});
