import * as v from "valibot";
import { model, polymorphic, type RecordOf } from "./model.ts";
import { dateTime, describe, jsonSchema, longText, nonEmptyText, uuid } from "./scalars.ts";

export const taskStatuses = ["pending", "completed", "canceled"] as const;

const relatedTo = v.pipe(
  v.strictObject({
    type: describe(v.picklist(["account", "contact", "opportunity"]), "What the record is."),
    id: describe(uuid, "A record of that type."),
  }),
  jsonSchema({ title: "RelatedTo", description: "One record of the tenant." }),
);

const fields = {
  title: { schema: nonEmptyText(255), required: true },
  description: { schema: v.nullable(longText) },
  priority: { schema: v.picklist(["low", "medium", "high"]), default: "medium" },
  status: { schema: v.picklist(taskStatuses), default: "pending" },
  dueDate: { schema: v.nullable(dateTime), column: "timestamp" },
  relatedTo: { schema: v.nullable(relatedTo), column: { type: "text", id: "text" }, reference: polymorphic },
  assignedTo: { schema: v.nullable(uuid), reference: "user" },
  closedAt: { schema: v.nullable(dateTime), column: "timestamp", readOnly: true },
} as const;

export const task = model("task", "tasks", fields, "Something to be done.", {
  title: "What is to be done, in a line.",
  description: "Null: none.",
  priority: "How urgent it is.",
  status: "Pending becomes completed or canceled and back; completed to canceled or back is refused with 409.",
  dueDate: "When it should be done. Null: no date.",
  relatedTo: "The one record that it is about. A PATCH replaces it whole. Null: none.",
  assignedTo: "The user who is to do it. Null: nobody.",
  closedAt: "Since when it is completed or canceled. Null while it is pending.",
});

export type Task = RecordOf<typeof task>;
