import type { Conflicts, QueuedCommit } from "./transaction.ts";

/** A commit that waits for its transaction. */
export type Job = QueuedCommit & { readonly resolve: () => void; readonly reject: (error: unknown) => void };

/** Maximum number of commits per transaction. Commits of other servers wait until it ends. */
export const maxBatchSize = 64;

/** Returns how many of the first commits can share a transaction. One with the condition `none` can't. */
export function countTogether(waiting: readonly Job[]): number {
  const index = waiting.slice(0, maxBatchSize).findIndex(({ conditions }) => conditions?.none !== undefined);
  return index === -1 ? maxBatchSize : Math.max(index, 1);
}

/** Settles the commits of a transaction that succeeded. */
export function settle(jobs: readonly Job[], conflicts: Conflicts = []): undefined {
  for (const [index, { resolve, reject }] of jobs.entries()) {
    if (conflicts[index] === undefined) resolve();
    else reject(conflicts[index]);
  }
}
