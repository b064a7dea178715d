/** One transaction that ended: how many commits shared it, how many of them were refused, how long it took. */
export type CommitBatch = { readonly commits: number; readonly refused: number; readonly durationMs: number };
