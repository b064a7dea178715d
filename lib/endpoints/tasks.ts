import { oneOf, uuid } from "../input/scalars.ts";
import { type Task, task, taskStatuses } from "../records/task.ts";
import { resource } from "../resource.ts";
import { assertTransition, closedAt } from "../rules/closing.ts";

/** Tasks: pending ⇄ completed, pending ⇄ canceled; `closedAt` says since when one is not pending. */
export const tasks = resource({
  model: task,
  filters: { status: oneOf(taskStatuses), assignedTo: uuid, relatedToId: uuid },
  assertChange(after, before) {
    assertTransition("task", "pending", before as unknown as Task, after.status as string);
  },
  settle(after, before, at) {
    return { closedAt: closedAt("pending", before as unknown as Task | undefined, after.status as string, at) };
  },
});
