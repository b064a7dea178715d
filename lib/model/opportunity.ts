import * as v from "valibot";
import { currency } from "./currency.ts";
import { customFieldValues } from "./custom-field.ts";
import { commonDescriptions, model, type RecordOf } from "./model.ts";
import { calendarDate, dateTime, finiteNumber, listOf, nonEmptyText, uuid } from "./scalars.ts";

export const opportunityStatuses = ["open", "won", "lost"] as const;

/** The contacts of one opportunity: 100 at most, so that one record stays one small write. */
const contactIds = listOf(uuid, 100, "must be a list of contact ids");

const fields = {
  name: { schema: nonEmptyText(255), required: true },
  accountId: { schema: v.nullable(uuid), reference: "account" },
  contactIds: { schema: contactIds, column: "links", default: [], reference: "contact" },
  pipelineId: { schema: uuid, reference: "pipeline" },
  stageId: { schema: uuid, reference: "stage" },
  status: { schema: v.picklist(opportunityStatuses), default: "open" },
  amount: { schema: v.nullable(finiteNumber), column: "real" },
  currency: { schema: v.nullable(currency) },
  expectedCloseDate: { schema: v.nullable(calendarDate) },
  ownerId: { schema: v.nullable(uuid), reference: "user" },
  lostReason: { schema: v.nullable(nonEmptyText(255)) },
  closedAt: { schema: v.nullable(dateTime), column: "timestamp", readOnly: true },
  stageChangedAt: { schema: v.nullable(dateTime), column: "timestamp", readOnly: true },
  externalId: { schema: v.nullable(nonEmptyText(255)) },
  customFields: { schema: customFieldValues, column: "json", default: {} },
} as const;

export const opportunity = model("opportunity", "opportunities", fields, "A sale that may come about.", {
  ...commonDescriptions,
  name: "What is to be sold. Several may have the same name.",
  accountId: "The account it is with. Null: none yet.",
  contactIds: "The contacts that take part, each once, 100 at most. A PATCH replaces the list whole.",
  pipelineId: "Follows from stageId where only that is sent. Without either, it is the tenant's default pipeline.",
  stageId: "A stage of the pipeline. Left out of a POST: the pipeline's first. A closed opportunity keeps its stage.",
  status: "Open becomes won or lost, and either can be reopened; won to lost or back is refused with 409.",
  amount: "What it is worth, in units of currency (not in cents). Null: not known.",
  currency: "An ISO 4217 code in upper case. Null: not said.",
  expectedCloseDate: "The day on which it is expected to be won or lost. Null: not known.",
  lostReason: "Only while the status is lost, where the pipeline may require one of its lostReasons. Null: none.",
  closedAt: "Since when it is won or lost. Null while it is open.",
  stageChangedAt: "Since when it is in its stage.",
});

export type Opportunity = RecordOf<typeof opportunity>;
