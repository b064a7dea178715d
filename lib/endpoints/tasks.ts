import * as v from "valibot";
import { resource } from "../api/resource.ts";
import type { ResourceDefinition } from "../api/resource-definition.ts";
import { computeClosedAt } from "../api/rules/closed-at.ts";
import { describe, uuid } from "../model/scalars.ts";
import { type Task, task, taskStatuses } from "../model/task.ts";
import { idsFilter, wordsFilter } from "./filters.ts";

const relatedToId = describe(uuid, "Only tasks that are related to the record with this ID, of any type.");

/** A task is pending, completed or canceled. */
export const taskDefinition: ResourceDefinition = {
  model: task,
  filters: { ids: idsFilter, q: wordsFilter, status: v.picklist(taskStatuses), assignedTo: uuid, relatedToId },
  example: {
    id: "019eca87-47f1-7bf5-b34e-d5746cca059b",
    create: {
      title: "Call Åsa Lindqvist about the second café",
      priority: "high",
      dueDate: "2026-11-05T09:00:00+01:00",
    },
    update: { status: "completed" },
  },
  stampFields(after, before, now) {
    return { closedAt: computeClosedAt("pending", before as unknown as Task | undefined, after.status as string, now) };
  },
};

/** The endpoints of tasks. */
export const tasks = resource(taskDefinition);
