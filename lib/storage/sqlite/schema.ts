import { readFileSync } from "node:fs";

/** The text of schema.sql. */
export const schemaSql = readFileSync(new URL("../../../schema.sql", import.meta.url), "utf8");
