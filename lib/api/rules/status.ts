/** A record with one open status. All other statuses are closed. */
export type StatusRecord = { readonly status: string; readonly closedAt: number | null };

/** Returns the `closedAt` of a record that gets a status at `now`: the time of its last change into a closed status. */
export function closedAt(open: string, before: StatusRecord | undefined, status: string, now: number): number | null {
  if (status === open) return null;
  return before?.status === status ? before.closedAt : now;
}
