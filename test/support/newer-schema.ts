import { migrations } from "../../lib/storage/sqlite/migrations.ts";
import { schemaSql as released } from "../../lib/storage/sqlite/schema.ts";
import { steps } from "../prove/migration-steps.ts";

/** The schema that the made-up migrations lead to. */
export const schemaSql = [released, ...steps.slice(migrations.length).map(({ sql }) => sql)].join("\n");
