import { steps } from "../prove/migration-steps.ts";

export { latestVersion, migrate } from "../../lib/storage/sqlite/migrations.ts";
export const migrations = steps;
