import * as v from "valibot";
import { anyText, filledText, instant, oneOf, uuid } from "../input/scalars.ts";
import { byType, model, type RecordOf } from "./model.ts";

export const taskStatuses = ["pending", "completed", "canceled"] as const;

const relatedTo = v.strictObject({ type: oneOf(["account", "contact", "opportunity"]), id: uuid });

export const task = model("task", "tasks", {
  title: { schema: filledText(255), required: true },
  description: { schema: v.nullable(anyText) },
  priority: { schema: oneOf(["low", "medium", "high"]), default: "medium" },
  status: { schema: oneOf(taskStatuses), default: "pending" },
  dueDate: { schema: v.nullable(instant), column: "instant" },
  relatedTo: { schema: v.nullable(relatedTo), column: { type: "text", id: "text" }, reference: byType },
  assignedTo: { schema: v.nullable(uuid), reference: "user" },
  closedAt: { schema: v.nullable(instant), column: "instant", readOnly: true },
});

export type Task = RecordOf<typeof task>;
