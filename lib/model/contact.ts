import * as v from "valibot";
import { customFieldValues } from "./custom-field.ts";
import { commonDescriptions, model } from "./model.ts";
import { normalizeEmail } from "./normalize.ts";
import { email, nonEmptyText, text, uuid } from "./scalars.ts";

const fields = {
  name: { schema: nonEmptyText(255), required: true },
  email: { schema: v.nullable(email), unique: normalizeEmail },
  phone: { schema: v.nullable(text(255)) },
  jobTitle: { schema: v.nullable(text(255)) },
  accountId: { schema: v.nullable(uuid), reference: "account" },
  ownerId: { schema: v.nullable(uuid), reference: "user" },
  externalId: { schema: v.nullable(nonEmptyText(255)) },
  customFields: { schema: customFieldValues, column: "json", default: {} },
} as const;

export const contact = model("contact", "contacts", fields, "A person whom the tenant deals with.", {
  ...commonDescriptions,
  name: "The full name.",
  email: "Taken once among the contacts that are not archived; case does not count. Null: none, which many may have.",
  phone: "Null: not known. Any way of writing it.",
  jobTitle: "Null: not known.",
  accountId: "The account where the person works. Null: none.",
});
