import { hash } from "node:crypto";
import { isNotModified } from "../api/conditional-requests.ts";
import { type AssetName, readAsset } from "../http/docs/assets.ts";
import type { HttpResponse } from "../http/http-response.ts";

/** A file of the console and its media type. */
export type ConsoleAsset = { readonly type: string; readonly body: string | Uint8Array<ArrayBuffer> };

/** The files of the console by name. The page is `index.html`. */
export type ConsoleAssets = ReadonlyMap<string, ConsoleAsset>;

/** Scripts and styles come only from files of this server. No site can frame the page. */
const csp = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const headers = {
  "content-security-policy": csp,
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  // Browsers ask with the ETag on each load, so that an update of the program takes effect at once.
  "cache-control": "no-cache",
};

const types: readonly (readonly [AssetName, string])[] = [
  ["console/index.html", "text/html; charset=utf-8"],
  ["console/console.js", "text/javascript; charset=utf-8"],
  ["console/console.css", "text/css; charset=utf-8"],
];

/** Returns the files of the console that the package contains. In a checkout, `npm run build:console` writes them. */
export function readConsoleAssets(): ConsoleAssets {
  const assets = new Map<string, ConsoleAsset>();
  for (const [name, type] of types) {
    try {
      assets.set(name.slice("console/".length), { type, body: readAsset(name) });
    } catch {
      // The console isn't built.
    }
  }
  return assets;
}

const notBuilt = "The console isn't built. Run: npm run build:console\n";

/** Returns a function that finds the response for a file by its name and the header If-None-Match. */
export function staticFiles(
  assets: ConsoleAssets,
): (name: string, ifNoneMatch: string | null) => HttpResponse | undefined {
  const etags = new Map([...assets].map(([name, { body }]) => [name, `"${hash("sha256", body, "base64url")}"`]));
  return (name, ifNoneMatch) => {
    const asset = assets.get(name);
    const etag = etags.get(name);
    if (asset === undefined || etag === undefined)
      return name === "index.html" ? { status: 404, headers: plainText, body: notBuilt } : undefined;
    if (isNotModified(ifNoneMatch, etag)) return { status: 304, headers: { ...headers, etag }, body: null };
    return { status: 200, headers: { ...headers, etag, "content-type": asset.type }, body: asset.body };
  };
}

const plainText = { ...headers, "content-type": "text/plain; charset=utf-8" };
