import { readFileSync } from "node:fs";

/** schema.sql, which stands at the top of the package. */
export const schemaSql = readFileSync(new URL("../../../schema.sql", import.meta.url), "utf8");
