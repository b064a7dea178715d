import type { ApiError } from "../../model/errors.ts";
import { stateConflict } from "./record-diff.ts";

/** A record that is open in one status and closed in all others, and remembers since when. */
export type Closable = { readonly status: string; readonly closedAt: number | null };

/**
 * The `409 conflict`, with `details.allowed`, of turning one way of being closed into another: that would silently
 * rewrite when and how it ended.
 */
export function checkStatusChange(
  kind: string,
  open: string,
  before: Closable | undefined,
  status: string,
): ApiError | undefined {
  if (before === undefined || before.status === open || status === open || before.status === status) return undefined;
  const message = `This ${kind} is ${before.status} and cannot become ${status} at once; set it to ${open} first.`;
  return stateConflict(message, "status_transition", [before.status, open]);
}

/** `closedAt` of a record that has this status from `at` on. */
export function closedAt(open: string, before: Closable | undefined, status: string, at: number): number | null {
  if (status === open) return null;
  return before?.status === status ? before.closedAt : at;
}
