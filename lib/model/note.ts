import * as v from "valibot";
import { dateTime } from "./date-time.ts";
import { commonDescriptions, model, polymorphic } from "./model.ts";
import { nonEmptyText, nullableText, uuid } from "./scalars.ts";
import { relatedTo } from "./task.ts";

const fields = {
  body: { schema: nonEmptyText(20_000), required: true },
  relatedTo: {
    schema: relatedTo,
    column: { type: "text", id: "text" },
    reference: polymorphic,
    required: true,
    readOnly: "update",
  },
  authorId: { schema: v.nullable(uuid), reference: "user" },
  occurredAt: { schema: dateTime, column: "timestamp" },
  externalId: { schema: nullableText(nonEmptyText(255)) },
} as const;

export const note = model("note", "notes", fields, "A text about an account, a contact or an opportunity.", {
  body: "Plain text, 1 to 20,000 characters. Line breaks stay.",
  relatedTo: "The account, contact or opportunity that the note belongs to. It can't change.",
  authorId: "ID of the user who wrote the note. Defaults to the admin who creates it. `null` if an integration does.",
  occurredAt: "Time of what the note is about, in the past or the future. Defaults to the time of creation.",
  externalId: commonDescriptions.externalId,
});
