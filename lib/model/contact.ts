import * as v from "valibot";
import { customFieldValues } from "./custom-field.ts";
import { commonDescriptions, model } from "./model.ts";
import { normalizeEmail } from "./normalize.ts";
import { email, nonEmptyText, nullableText, text, uuid } from "./scalars.ts";

const fields = {
  name: { schema: nonEmptyText(255), required: true },
  email: { schema: nullableText(email), unique: normalizeEmail },
  phone: { schema: nullableText(text(255)), isPhone: true },
  jobTitle: { schema: nullableText(text(255)) },
  accountId: { schema: v.nullable(uuid), reference: "account" },
  ownerId: { schema: v.nullable(uuid), reference: "user" },
  externalId: { schema: nullableText(nonEmptyText(255)) },
  customFields: { schema: customFieldValues, column: "json", default: {} },
} as const;

export const contact = model("contact", "contacts", fields, "A person that the tenant does business with.", {
  ...commonDescriptions,
  name: "Full name.",
  email: "Unique among contacts that aren't archived. Case and zero-width characters are ignored.",
  phone: "Phone number in any format.",
  jobTitle: "Job title.",
  accountId: "ID of the account that the contact belongs to.",
});
