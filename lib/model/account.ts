import * as v from "valibot";
import { customFieldValues } from "./custom-field.ts";
import { commonDescriptions, model } from "./model.ts";
import { normalizeName } from "./normalize.ts";
import { describe, email, jsonSchema, longText, nonEmptyText, nullableText, text, uuid, website } from "./scalars.ts";

const line = (description: string) => v.optional(describe(nullableText(text(255)), description), null);
const lines = v.strictObject({
  street: line("Street and number."),
  city: line("City."),
  state: line("State, province or region."),
  postalCode: line("Postal code."),
  country: line("Country in any format."),
});
const address = v.pipe(
  lines,
  jsonSchema({ title: "Address", description: "Postal address. Omitted members are `null`." }),
);
const addressChanges = v.pipe(
  v.strictObject(
    Object.fromEntries(Object.entries(lines.entries).map(([name, { wrapped }]) => [name, v.optional(wrapped)])),
  ),
  jsonSchema({ title: "AddressUpdate", description: "Members to change. Omitted members keep their value." }),
);

const fields = {
  name: { schema: nonEmptyText(255), required: true, unique: normalizeName },
  document: { schema: nullableText(text(255)) },
  website: { schema: nullableText(website) },
  phone: { schema: nullableText(text(255)), isPhone: true },
  email: { schema: nullableText(email) },
  description: { schema: nullableText(longText) },
  address: {
    schema: v.nullable(address),
    changes: describe(v.nullable(addressChanges), "Postal address. Members merge, and `null` removes the address."),
    column: "json",
  },
  ownerId: { schema: v.nullable(uuid), reference: "user" },
  externalId: { schema: nullableText(nonEmptyText(255)) },
  customFields: { schema: customFieldValues, column: "json", default: {} },
} as const;

export const account = model("account", "accounts", fields, "A company that the tenant does business with.", {
  ...commonDescriptions,
  name: "Unique among accounts that aren't archived. Case, repeated whitespace and zero-width characters are ignored; accents are significant.",
  document: "Registration number, such as a VAT number.",
  website: "HTTP or HTTPS URL, or a domain such as `example.com`.",
  phone: "Phone number in any format.",
  email: "Email address. Doesn't have to be unique.",
  description: "Free text.",
  address: "Postal address.",
});
