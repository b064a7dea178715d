import { stateConflict } from "./change.ts";

/** A record that is open in one status and closed in all others, and remembers since when. */
export type Closable = { readonly status: string; readonly closedAt: number | null };

/**
 * Refuses to turn one way of being closed into another: that would silently rewrite when and how it ended.
 * @throws ApiError `409 conflict`, with `details.allowed`
 */
export function assertTransition(kind: string, open: string, before: Closable, status: string): void {
  if (before.status === open || status === open || before.status === status) return;
  const message = `This ${kind} is ${before.status} and cannot become ${status} at once; set it to ${open} first.`;
  throw stateConflict(message, "status_transition", [before.status, open]);
}

/** `closedAt` of a record that has this status from `at` on. */
export function closedAt(open: string, before: Closable | undefined, status: string, at: number): number | null {
  if (status === open) return null;
  return before?.status === status ? before.closedAt : at;
}
