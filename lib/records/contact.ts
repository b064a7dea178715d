import * as v from "valibot";
import { email, filledText, text, uuid } from "../input/scalars.ts";
import { customFieldValues } from "./custom-field.ts";
import { foldEmail } from "./fold.ts";
import { model, type RecordOf } from "./model.ts";

export const contact = model("contact", "contacts", {
  name: { schema: filledText(255), required: true },
  email: { schema: v.nullable(email), unique: foldEmail },
  phone: { schema: v.nullable(text(255)) },
  jobTitle: { schema: v.nullable(text(255)) },
  accountId: { schema: v.nullable(uuid), reference: "account" },
  ownerId: { schema: v.nullable(uuid), reference: "user" },
  externalId: { schema: v.nullable(filledText(255)) },
  customFields: { schema: customFieldValues, column: "json", default: {} },
});

export type Contact = RecordOf<typeof contact>;
