import { steps } from "./prove/migration-steps.ts";

export { migrate, versionAfter } from "../lib/sqlite/migrations.ts";
export const migrations = steps;
