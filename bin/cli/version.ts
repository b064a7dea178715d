import { readFileSync } from "node:fs";

/** The version of the package. The builds replace this module with constants. */
export const version: string = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;

/** The Git commit that was built. Null if the program runs from its source. */
export const commit: string | null = null;
