import { existsSync, readFileSync } from "node:fs";

/** Paths of the bundled files by name: in the built package and, if it differs, in a checkout. */
const paths = {
  "openapi.json": ["openapi.json", "docs/openapi.json"],
  "swagger-ui.css": ["swagger-ui/swagger-ui.css", "node_modules/swagger-ui-dist/swagger-ui.css"],
  "swagger-ui-bundle.js": ["swagger-ui/swagger-ui-bundle.js", "node_modules/swagger-ui-dist/swagger-ui-bundle.js"],
} as const;

export type AssetName = keyof typeof paths | `console/${string}`;

/** Reads a bundled file. In the binary, another module replaces this one. */
export function readAsset(name: AssetName): Uint8Array<ArrayBuffer> {
  const found = Object.hasOwn(paths, name) ? paths[name as keyof typeof paths] : [`dist/${name}`, name];
  const urls = found.map((path) => new URL(`../../../${path}`, import.meta.url));
  const url = urls.find((each) => existsSync(each));
  if (url === undefined) throw new Error(`The file ${name} of this package is missing. Install the package again.`);
  return readFileSync(url);
}
