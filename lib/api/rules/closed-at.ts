/** A record with one open status. All other statuses are closed. */
export type StatusFields = { readonly status: string; readonly closedAt: number | null };

/** Returns the `closedAt` of a record that gets a status at `now`: the time of its last change into a closed status. */
export function computeClosedAt(
  open: string,
  before: StatusFields | undefined,
  status: string,
  now: number,
): number | null {
  if (status === open) return null;
  return before?.status === status ? before.closedAt : now;
}
