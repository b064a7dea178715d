import { readFileSync } from "node:fs";

/** The version of the package. The builds replace this module with a constant. */
export const version: string = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;
