import * as v from "valibot";
import { calendarDate, filledText, finiteNumber, instant, listOf, oneOf, uuid } from "../input/scalars.ts";
import { currency } from "./currency.ts";
import { customFieldValues } from "./custom-field.ts";
import { model, type RecordOf } from "./model.ts";

export const opportunityStatuses = ["open", "won", "lost"] as const;

/** The contacts of one opportunity: 100 at most, so that one record stays one small write. */
const contactIds = listOf(uuid, 100, "must be a list of contact ids");

export const opportunity = model("opportunity", "opportunities", {
  name: { schema: filledText(255), required: true },
  accountId: { schema: v.nullable(uuid), reference: "account" },
  contactIds: { schema: contactIds, column: "links", default: [], reference: "contact" },
  pipelineId: { schema: uuid, reference: "pipeline" },
  stageId: { schema: uuid, reference: "stage" },
  status: { schema: oneOf(opportunityStatuses), default: "open" },
  amount: { schema: v.nullable(finiteNumber), column: "real" },
  currency: { schema: v.nullable(currency) },
  expectedCloseDate: { schema: v.nullable(calendarDate) },
  ownerId: { schema: v.nullable(uuid), reference: "user" },
  lostReason: { schema: v.nullable(filledText(255)) },
  closedAt: { schema: v.nullable(instant), column: "instant", readOnly: true },
  stageChangedAt: { schema: v.nullable(instant), column: "instant", readOnly: true },
  externalId: { schema: v.nullable(filledText(255)) },
  customFields: { schema: customFieldValues, column: "json", default: {} },
});

export type Opportunity = RecordOf<typeof opportunity>;
