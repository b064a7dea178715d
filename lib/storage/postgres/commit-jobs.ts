import type { CommitConditions, Write, WriteConflict } from "../storage.ts";

/** A commit before its commit time is known. */
export type QueuedCommit = {
  readonly now: number;
  readonly propose: (at: number) => readonly Write[];
  readonly conditions?: CommitConditions | undefined;
};

/** For each commit of a transaction, its conflict if it expects another settings version. The others are committed. */
export type Conflicts = readonly (WriteConflict | undefined)[];

/** A commit that waits for its transaction. */
export type Job = QueuedCommit & { readonly resolve: () => void; readonly reject: (error: unknown) => void };

/** Maximum number of commits per transaction. Commits of other servers wait until it ends. */
export const maxBatchSize = 64;

/** Whether a commit needs a transaction of its own. */
export function isAlone({ conditions }: QueuedCommit): boolean {
  return conditions?.none !== undefined;
}

/** Returns how many of the first commits can share a transaction. */
export function countTogether(waiting: readonly Job[]): number {
  const index = waiting.slice(0, maxBatchSize).findIndex(isAlone);
  return index === -1 ? maxBatchSize : Math.max(index, 1);
}

/** Settles the commits of a transaction that succeeded. */
export function settle(jobs: readonly Job[], conflicts: Conflicts = []): undefined {
  for (const [index, { resolve, reject }] of jobs.entries()) {
    if (conflicts[index] === undefined) resolve();
    else reject(conflicts[index]);
  }
}
