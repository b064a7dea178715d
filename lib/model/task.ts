import * as v from "valibot";
import { dateTime } from "./date-time.ts";
import { model, polymorphic, type RecordOf } from "./model.ts";
import { describe, jsonSchema, longText, nonEmptyText, nullableText, uuid } from "./scalars.ts";

export const taskStatuses = ["pending", "completed", "canceled"] as const;

/** A reference to the record that a task or a note belongs to. */
export const relatedTo = v.pipe(
  v.strictObject({
    type: describe(v.picklist(["account", "contact", "opportunity"]), "Kind of the related record."),
    id: describe(uuid, "ID of the related record."),
  }),
  jsonSchema({ title: "RelatedTo", description: "A reference to an account, a contact or an opportunity." }),
);

const fields = {
  title: { schema: nonEmptyText(255), required: true },
  description: { schema: nullableText(longText) },
  priority: { schema: v.picklist(["low", "medium", "high"]), default: "medium" },
  status: { schema: v.picklist(taskStatuses), default: "pending" },
  dueDate: { schema: v.nullable(dateTime), column: "timestamp" },
  relatedTo: { schema: v.nullable(relatedTo), column: { type: "text", id: "text" }, reference: polymorphic },
  assignedTo: { schema: v.nullable(uuid), reference: "user" },
  closedAt: { schema: v.nullable(dateTime), column: "timestamp", readOnly: true },
} as const;

export const task = model("task", "tasks", fields, "A to-do item.", {
  title: "Title.",
  description: "Free text.",
  priority: "Priority.",
  status: "Any status can change to any other.",
  dueDate: "Due date and time.",
  relatedTo: "The related account, contact or opportunity. Updates replace the object.",
  assignedTo: "ID of the assigned user.",
  closedAt: "Time of the last change to `completed` or `canceled`. `null` while pending.",
});

export type Task = RecordOf<typeof task>;
