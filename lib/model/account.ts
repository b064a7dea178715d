import * as v from "valibot";
import { customFieldValues } from "./custom-field.ts";
import { commonDescriptions, model } from "./model.ts";
import { normalizeName } from "./normalize.ts";
import { describe, email, jsonSchema, longText, nonEmptyText, text, uuid, website } from "./scalars.ts";

const line = (description: string) => v.optional(describe(v.nullable(text(255)), description), null);
const address = v.pipe(
  v.strictObject({
    street: line("Street and number. Null: not known."),
    city: line("Null: not known."),
    state: line("State, province or region. Null: not known."),
    postalCode: line("Null: not known."),
    country: line("In any form. Null: not known."),
  }),
  jsonSchema({ title: "Address", description: "What is left out is null; a PATCH replaces the address whole." }),
);

const fields = {
  name: { schema: nonEmptyText(255), required: true, unique: normalizeName },
  document: { schema: v.nullable(text(255)) },
  website: { schema: v.nullable(website) },
  phone: { schema: v.nullable(text(255)) },
  email: { schema: v.nullable(email) },
  description: { schema: v.nullable(longText) },
  address: { schema: v.nullable(address), column: "json" },
  ownerId: { schema: v.nullable(uuid), reference: "user" },
  externalId: { schema: v.nullable(nonEmptyText(255)) },
  customFields: { schema: customFieldValues, column: "json", default: {} },
} as const;

export const account = model("account", "accounts", fields, "A company that the tenant sells to.", {
  ...commonDescriptions,
  name: "Taken once among the accounts that are not archived. Case and repeated blanks do not count; accents do.",
  document: "A registration number, such as a VAT number. Null: not known.",
  website: "An http or https URL, or a domain such as `example.com`.",
  phone: "Null: not known. Any way of writing it.",
  email: "Null: not known. It may be that of several accounts.",
  description: "Null: none.",
  address: "Null: not known.",
});
