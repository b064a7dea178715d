import { readFileSync } from "node:fs";
import { Failure } from "./usage.ts";

/**
 * Returns the licenses of the program and of everything in it.
 * @throws Failure if the program runs from its source
 */
export function readLicenses(): string {
  try {
    return readFileSync(new URL("../THIRD-PARTY-NOTICES.txt", import.meta.url), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new Failure(
      "This program runs from its source. LICENSE has its license, node_modules those of its packages.",
    );
  }
}
