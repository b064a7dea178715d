import { existsSync, readFileSync } from "node:fs";

/** Paths of the documentation site: in a built checkout, and from the sources. */
const paths = ["../docs-site.pack", "../../dist/docs-site.pack"];

/**
 * Returns a function that reads the documentation site. Undefined if it isn't built in. In the binary, another module
 * replaces this one.
 */
export function findDocsSite(): (() => Uint8Array<ArrayBuffer>) | undefined {
  const url = paths.map((path) => new URL(path, import.meta.url)).find((each) => existsSync(each));
  return url && (() => readFileSync(url));
}
