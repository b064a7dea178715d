import { appendFileSync } from "node:fs";
import type { TestContext } from "node:test";
import { seededRandom as random } from "../../bin/tenants/generate-tenant-file.ts";
import { seed } from "../support/seed.ts";

/** Whether this is `npm run prove`, at full size, and not a test tier. */
export const full = process.env.PROVE === "full";

/** Returns a number for the test tiers, or the one for `npm run prove`. */
export function size(quick: number, whole: number): number {
  return full ? whole : quick;
}

export { seed };

/** Returns a generator of numbers from 0 to 1. The same seed gives the same numbers. */
export function seededRandom(from = seed): () => number {
  return random(from);
}

/**
 * Prints the figures of a test, and adds them to docs/project/guarantees-figures.md in a run at full size.
 * @param harness name of the test file without ".test.ts"
 */
export function figures(t: TestContext, harness: string, counted: Readonly<Record<string, number | string>>): void {
  const text = Object.entries(counted).map(([name, count]) => `${count} ${name}`);
  t.diagnostic(`${harness}: ${text.join(", ")} (FC_SEED=${seed})`);
  const file = process.env.PROVE_FIGURES;
  if (full && file !== undefined) {
    // The same variable that test/support/storages.ts reads. An import of that file would open databases.
    const { TEST_STORAGE: storage } = process.env;
    const where = storage === undefined ? "" : ` on ${storage}`;
    appendFileSync(
      file,
      `${JSON.stringify({ harness: harness + where, test: t.name, text: text.join(", "), seed })}\n`,
    );
  }
}
