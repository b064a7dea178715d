import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * Returns the module that replaces bin/cli/version.ts: the version of the package, and the commit if this is a
 * checkout.
 */
export function versionModule(): string {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  return `export const version = ${JSON.stringify(version)}; export const commit = ${JSON.stringify(readCommit())};`;
}

function readCommit(): string | null {
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return null;
  }
}
