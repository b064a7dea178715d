/**
 * The seed of all random choices in tests. It is the same on every run, unless `FC_SEED` is a number or `random`.
 * Tests print it, so that a failure can be repeated.
 */
export const seed = process.env.FC_SEED === "random" ? Date.now() % 2 ** 31 : Number(process.env.FC_SEED ?? 1);
