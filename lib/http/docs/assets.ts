import { existsSync, readFileSync } from "node:fs";

/** Files that come along, by name: where each stands in a package that was built and, where it differs, in a checkout. */
const places = {
  "openapi.json": ["../docs/openapi.json", "docs/openapi.json"],
  "swagger-ui.css": ["swagger-ui/swagger-ui.css", "node_modules/swagger-ui-dist/swagger-ui.css"],
  "swagger-ui-bundle.js": ["swagger-ui/swagger-ui-bundle.js", "node_modules/swagger-ui-dist/swagger-ui-bundle.js"],
} as const;

export type AssetName = keyof typeof places;

/** What the file contains, read when it is asked for. The binary carries the files inside. */
export function readAsset(name: AssetName): Uint8Array<ArrayBuffer> {
  const urls = places[name].map((place) => new URL(`../../../${place}`, import.meta.url));
  const url = urls.find((each) => existsSync(each));
  if (url === undefined) throw new Error(`The file ${name}, which comes with this package, is missing.`);
  return readFileSync(url);
}
