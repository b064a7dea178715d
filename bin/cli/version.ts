import { readFileSync } from "node:fs";

/** The version of the package. The binary and the built program carry it inside. */
export const version: string = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;
