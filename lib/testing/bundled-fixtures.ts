import { existsSync, readFileSync } from "node:fs";

/** A tenant file that comes along, by its name; undefined where there is none. The binary carries them inside. */
export function readBundledFixture(name: string): Uint8Array | undefined {
  const file = new URL(`../../fixtures/${name}.json`, import.meta.url);
  return /^[a-z0-9-]+$/.test(name) && existsSync(file) ? readFileSync(file) : undefined;
}
