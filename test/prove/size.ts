import { appendFileSync } from "node:fs";
import type { TestContext } from "node:test";
import { seededRandom as diceOf } from "../../bin/tenants/generate-tenant-file.ts";
import { seed } from "../support/seed.ts";

/** Whether this is `npm run prove`, which takes its time, or `npm test`, which has little. */
export const full = process.env.PROVE === "full";

/** How much of something a harness does: so much with every test, so much to prove it. */
export function size(quick: number, whole: number): number {
  return full ? whole : quick;
}

export { seed };

/** Numbers that follow from the seed. */
export function dice(from = seed): () => number {
  return diceOf(from);
}

/**
 * Publishes what a harness counted: as a line of the test's output, and in a full run as a row of docs/project/guarantees-figures.md.
 * @param harness its file's name without ".test.ts"
 */
export function figures(t: TestContext, harness: string, counted: Readonly<Record<string, number | string>>): void {
  const text = Object.entries(counted).map(([name, count]) => `${count} ${name}`);
  t.diagnostic(`${harness}: ${text.join(", ")} (FC_SEED=${seed})`);
  const file = process.env.PROVE_FIGURES;
  if (full && file !== undefined) {
    // As test/support/storages.ts reads it, which opens what only tests need.
    const { CRM_TEST_STORAGE: storage } = process.env;
    const where = storage === undefined ? "" : ` on ${storage}`;
    appendFileSync(
      file,
      `${JSON.stringify({ harness: harness + where, test: t.name, text: text.join(", "), seed })}\n`,
    );
  }
}
