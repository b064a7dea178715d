import { readFileSync } from "node:fs";

/** schema.sql, which stands beside this. */
export const schemaSql = readFileSync(new URL("./schema.sql", import.meta.url), "utf8");
