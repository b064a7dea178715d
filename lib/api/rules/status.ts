import type { ApiError } from "../../model/errors.ts";
import { stateConflict } from "./record-diff.ts";

/** A record with one open status. All other statuses are closed. */
export type StatusRecord = { readonly status: string; readonly closedAt: number | null };

/** Returns `409 conflict` if a closed record would get another closed status, because that would rewrite its history. */
export function checkStatusChange(
  kind: string,
  open: string,
  before: StatusRecord | undefined,
  status: string,
): ApiError | undefined {
  if (before === undefined || before.status === open || status === open || before.status === status) return undefined;
  const message = `A ${before.status} ${kind} can't change to ${status}. Set the status to ${open} first.`;
  return stateConflict(message, "status_transition", [before.status, open]);
}

/** Returns the `closedAt` of a record that gets a status at `at`. */
export function closedAt(open: string, before: StatusRecord | undefined, status: string, at: number): number | null {
  if (status === open) return null;
  return before?.status === status ? before.closedAt : at;
}
