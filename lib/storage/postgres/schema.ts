import { readFileSync } from "node:fs";

/** The content of schema.sql. The bundler replaces this module. */
export const schemaSql = readFileSync(new URL("./schema.sql", import.meta.url), "utf8");
