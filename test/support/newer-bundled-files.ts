import { schemaSql as released } from "../../lib/storage/sqlite/bundled-files.ts";
import { inventedSteps } from "../prove/failures/invented-steps.ts";

export * from "../../lib/storage/sqlite/bundled-files.ts";
/** The schema after the invented migrations. */
export const schemaSql = [released, ...inventedSteps.map(({ sql }) => sql)].join("\n");
