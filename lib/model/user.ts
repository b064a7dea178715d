import * as v from "valibot";
import { model } from "./model.ts";
import { normalizeEmail } from "./normalize.ts";
import { email, nonEmptyText } from "./scalars.ts";

const fields = {
  name: { schema: nonEmptyText(255), required: true },
  email: { schema: email, required: true, unique: normalizeEmail },
  role: { schema: v.picklist(["admin", "member"]), default: "member" },
  active: { schema: v.boolean("must be true or false"), column: "boolean", default: true },
  externalId: { schema: v.nullable(nonEmptyText(255)) },
} as const;

export const user = model("user", "users", fields, "A person who works in the tenant's CRM.", {
  name: "Full name.",
  email: "Unique within the tenant. Case and zero-width characters are ignored.",
  role: "Users with the role `admin` can manage API keys.",
  active: "Inactive users can't be assigned to records. Existing assignments remain.",
  externalId: "ID of the user in your system. Doesn't have to be unique.",
});
