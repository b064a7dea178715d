import { latestVersion, type Migration, migrations } from "../../lib/storage/sqlite/schema.ts";
import { madeUpSteps } from "./made-up-steps.ts";

/** The released migrations and the made-up ones. */
export const steps: readonly Migration[] = [
  ...migrations,
  ...madeUpSteps.map((step, index) => ({ version: latestVersion(migrations) + 1 + index, ...step })),
];
