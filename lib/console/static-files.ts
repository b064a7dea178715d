import { hash } from "node:crypto";
import { gzipSync } from "node:zlib";
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
  vary: "accept-encoding",
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

/** Returns a function that finds the response for a file by its name and the headers of the request. */
export function staticFiles(assets: ConsoleAssets): (name: string, sent: Headers) => HttpResponse | undefined {
  const etags = new Map([...assets].map(([name, { body }]) => [name, hash("sha256", body, "base64url")]));
  // A file is compressed when it is first requested.
  const compressed = new Map<string, Uint8Array<ArrayBuffer>>();
  return (name, sent) => {
    const asset = assets.get(name);
    if (asset === undefined)
      return name === "index.html" ? { status: 404, headers: plainText, body: notBuilt } : undefined;
    const isCompressed = /\bgzip\b(?!;q=0(?![.\d]))/.test(sent.get("accept-encoding") ?? "");
    const etag = `"${etags.get(name)}${isCompressed ? "-gzip" : ""}"`;
    if (isNotModified(sent.get("if-none-match"), etag))
      return { status: 304, headers: { ...headers, etag }, body: null };
    const typed = { ...headers, etag, "content-type": asset.type };
    if (!isCompressed) return { status: 200, headers: typed, body: asset.body };
    const body = compressed.get(name) ?? new Uint8Array(gzipSync(asset.body));
    compressed.set(name, body);
    return { status: 200, headers: { ...typed, "content-encoding": "gzip" }, body };
  };
}

const plainText = { ...headers, "content-type": "text/plain; charset=utf-8" };
