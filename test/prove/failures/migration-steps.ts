import { latestVersion, type Migration, migrations } from "../../../lib/storage/sqlite/schema.ts";
import { inventedSteps } from "./invented-steps.ts";

/** The released migrations and the invented ones. */
export const steps: readonly Migration[] = [
  ...migrations,
  ...inventedSteps.map((step, index) => ({ version: latestVersion(migrations) + 1 + index, ...step })),
];
