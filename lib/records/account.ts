import * as v from "valibot";
import { anyText, email, filledText, text, uuid } from "../input/scalars.ts";
import { customFieldValues } from "./custom-field.ts";
import { foldName } from "./fold.ts";
import { model, type RecordOf } from "./model.ts";

const line = v.optional(v.nullable(text(255)), null);
const address = v.strictObject({ street: line, city: line, state: line, postalCode: line, country: line });

export const account = model("account", "accounts", {
  name: { schema: filledText(255), required: true, unique: foldName },
  document: { schema: v.nullable(text(255)) },
  website: { schema: v.nullable(text(2048)) },
  phone: { schema: v.nullable(text(255)) },
  email: { schema: v.nullable(email) },
  description: { schema: v.nullable(anyText) },
  address: { schema: v.nullable(address), column: "json" },
  ownerId: { schema: v.nullable(uuid), reference: "user" },
  externalId: { schema: v.nullable(filledText(255)) },
  customFields: { schema: customFieldValues, column: "json", default: {} },
});

export type Account = RecordOf<typeof account>;
