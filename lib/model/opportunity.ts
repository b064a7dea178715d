import * as v from "valibot";
import { currency } from "./currency.ts";
import { customFieldValues } from "./custom-field.ts";
import { calendarDate, dateTime } from "./date-time.ts";
import { commonDescriptions, model, type RecordOf } from "./model.ts";
import { finiteNumber, listOf, nonEmptyText, nullableText, uuid } from "./scalars.ts";

export const opportunityStatuses = ["open", "won", "lost"] as const;

/** At most 100 contacts, so that a record remains a small write. */
const contactIds = listOf(uuid, 100, "must be a list of contact IDs");

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
  lostReason: { schema: nullableText(nonEmptyText(255)) },
  closedAt: { schema: v.nullable(dateTime), column: "timestamp", readOnly: "update" },
  stageChangedAt: { schema: v.nullable(dateTime), column: "timestamp", readOnly: true },
  externalId: { schema: nullableText(nonEmptyText(255)) },
  customFields: { schema: customFieldValues, column: "json", default: {} },
} as const;

export const opportunity = model("opportunity", "opportunities", fields, "A potential deal.", {
  ...commonDescriptions,
  name: "Title. Doesn't have to be unique.",
  accountId: "ID of the account.",
  contactIds: "IDs of the contacts involved, at most 100. Updates replace the list.",
  pipelineId:
    "Defaults to the pipeline of `stageId`, or else to the tenant's default pipeline. Without `stageId`, a change moves to the first stage.",
  stageId:
    "Defaults to the first stage of the pipeline. To change it while the opportunity is closed, also set `status` to `open`.",
  status: "Any status can change to any other.",
  amount: "Amount in major currency units (euros, not cents).",
  currency: "ISO 4217 code. Stored in upper case.",
  expectedCloseDate: "Date on which the opportunity is expected to close.",
  lostReason:
    "Allowed only if `status` is `lost`. The pipeline can require a value from its `lostReasons`, in any case.",
  closedAt:
    "Time of the last change to `won` or `lost`. `null` while open. A new closed opportunity can have one in the past.",
  stageChangedAt: "Time the opportunity entered its stage.",
});

export type Opportunity = RecordOf<typeof opportunity>;
