import { advanceClock, type Write } from "../storage.ts";

/** What one commit writes once it knows its instant. */
export type QueuedCommit = { readonly now: number; readonly propose: (at: number) => readonly Write[] };

/** What commits that share a transaction write, in their order. */
export type CommitPlan = {
  readonly writes: readonly Write[];
  /** The first of their instants: it is right as long as the tenant's clock stands before it. */
  readonly first: number;
  /** Where the clock stands after them. */
  readonly finalClock: number;
};

/** An instant of its own for each of them, after the tenant's last. @throws what a proposal throws */
export function planCommits(last: number, proposals: readonly QueuedCommit[]): CommitPlan {
  const writes: Write[] = [];
  let [first, finalClock] = [Number.POSITIVE_INFINITY, last];
  for (const { now, propose } of proposals) {
    const at = Math.max(now, finalClock + 1);
    const proposed = propose(at);
    // One that writes nothing leaves the clock, and may have had a later instant than the next.
    first = Math.min(first, at);
    if (proposed.length > 0) finalClock = advanceClock(at, proposed);
    writes.push(...proposed);
  }
  return { writes, first, finalClock };
}
