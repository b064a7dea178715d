/** What the program has Node run with: the young generation takes 32 MiB at the most, not the 128 that Node 24 lets it. */
export const nodeOptions: readonly string[] = ["--max-semi-space-size=16"];
