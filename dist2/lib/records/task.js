import * as v from "valibot";
import { filledText, instant, longText, means, oneOf, said, uuid } from "../input/scalars.js";
import { byType, model } from "./model.js";
export const taskStatuses = ["pending", "completed", "canceled"];
const relatedTo = v.pipe(v.strictObject({
    type: said(oneOf(["account", "contact", "opportunity"]), "What the record is."),
    id: said(uuid, "A record of that type."),
}), means({ title: "RelatedTo", description: "One record of the tenant." }));
const fields = {
    title: { schema: filledText(255), required: true },
    description: { schema: v.nullable(longText) },
    priority: { schema: oneOf(["low", "medium", "high"]), default: "medium" },
    status: { schema: oneOf(taskStatuses), default: "pending" },
    dueDate: { schema: v.nullable(instant), column: "instant" },
    relatedTo: { schema: v.nullable(relatedTo), column: { type: "text", id: "text" }, reference: byType },
    assignedTo: { schema: v.nullable(uuid), reference: "user" },
    closedAt: { schema: v.nullable(instant), column: "instant", readOnly: true },
};
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
