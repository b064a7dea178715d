import { existsSync, readFileSync } from "node:fs";

/**
 * Reads a bundled tenant file. Returns undefined if the name is unknown. In the binary, another module replaces this
 * one.
 */
export function readBundledFixture(name: string): Uint8Array | undefined {
  const file = new URL(`../../fixtures/${name}.json`, import.meta.url);
  return /^[a-z0-9-]+$/.test(name) && existsSync(file) ? readFileSync(file) : undefined;
}
