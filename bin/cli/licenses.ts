import { readFileSync } from "node:fs";
import { Failure } from "./errors.ts";

/**
 * Returns the license texts of the program and of all bundled software.
 * @throws Failure if the program runs from its source
 */
export function readLicenses(): string {
  try {
    return readFileSync(new URL("../THIRD-PARTY-NOTICES.txt", import.meta.url), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new Failure("The source has no bundled license texts. See LICENSE and the packages in node_modules.");
  }
}
