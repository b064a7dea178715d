import { schemaSql as released } from "../../lib/storage/sqlite/bundled-files.ts";
import { madeUpSteps } from "../prove/made-up-steps.ts";

export * from "../../lib/storage/sqlite/bundled-files.ts";
/** The schema that the made-up migrations lead to. */
export const schemaSql = [released, ...madeUpSteps.map(({ sql }) => sql)].join("\n");
