import * as v from "valibot";
import { email, filledText, oneOf } from "../input/scalars.ts";
import { foldEmail } from "./fold.ts";
import { model, type RecordOf } from "./model.ts";

export const user = model("user", "users", {
  name: { schema: filledText(255), required: true },
  email: { schema: email, required: true, unique: foldEmail },
  role: { schema: oneOf(["admin", "member"]), default: "member" },
  active: { schema: v.boolean("must be true or false"), column: "boolean", default: true },
});

export type User = RecordOf<typeof user>;
