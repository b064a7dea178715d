import { steps } from "../prove/failures/migration-steps.ts";

export * from "../../lib/storage/sqlite/schema.ts";
export const migrations = steps;
