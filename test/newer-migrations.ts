import { steps } from "./prove/migration-steps.ts";

export { latestVersion, migrate } from "../lib/sqlite/migrations.ts";
export const migrations = steps;
