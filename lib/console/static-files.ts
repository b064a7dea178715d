import { hash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { isNotModified } from "../api/conditional-requests.ts";
import { readAsset } from "../http/docs/assets.ts";
import type { HttpResponse } from "../http/http-exchange.ts";
import { fileHeaders } from "./file-headers.ts";

/** A file of the console and its media type. */
export type ConsoleAsset = { readonly type: string; readonly body: string | Uint8Array<ArrayBuffer> };

/** The files of the console by name. The page is `index.html`. */
export type ConsoleAssets = ReadonlyMap<string, ConsoleAsset>;

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

/** Returns the files of the console that the package contains. In a checkout, `npm run build:console` writes them. */
export function readConsoleAssets(): ConsoleAssets {
  try {
    const names: readonly string[] = JSON.parse(new TextDecoder().decode(readAsset("console/files.json")));
    return new Map(
      names.map((name) => [
        name,
        { type: types[name.split(".").at(-1) ?? ""] ?? "application/octet-stream", body: readAsset(`console/${name}`) },
      ]),
    );
  } catch {
    // The console isn't built.
    return new Map();
  }
}

const notBuilt = "The console isn't built. Run: npm run build:console\n";

type FindFile = (name: string, sent: Headers) => HttpResponse | undefined;

/**
 * Returns a function that finds the response for a file by its name and the headers of the request. The first request
 * reads the files.
 */
export function staticFiles(readAssets: () => ConsoleAssets): FindFile {
  let find: FindFile | undefined;
  return (name, sent) => {
    find ??= findIn(readAssets());
    return find(name, sent);
  };
}

function findIn(assets: ConsoleAssets): FindFile {
  const page = assets.get("index.html")?.body ?? "";
  const headersOf = fileHeaders(typeof page === "string" ? page : new TextDecoder().decode(page));
  const etags = new Map([...assets].map(([name, { body }]) => [name, hash("sha256", body, "base64url")]));
  // A file is compressed when it is first requested.
  const compressed = new Map<string, Uint8Array<ArrayBuffer>>();
  return (name, sent) => {
    const asset = assets.get(name);
    if (asset === undefined)
      return name === "index.html"
        ? { status: 404, headers: { ...headersOf(name), "content-type": "text/plain; charset=utf-8" }, body: notBuilt }
        : undefined;
    const isCompressed = /\bgzip\b(?!;q=0(?![.\d]))/.test(sent.get("accept-encoding") ?? "");
    const etag = `"${etags.get(name)}${isCompressed ? "-gzip" : ""}"`;
    if (isNotModified(sent.get("if-none-match"), etag))
      return { status: 304, headers: { ...headersOf(name), etag }, body: null };
    const typed = { ...headersOf(name), etag, "content-type": asset.type };
    if (!isCompressed) return { status: 200, headers: typed, body: asset.body };
    const body = compressed.get(name) ?? new Uint8Array(gzipSync(asset.body));
    compressed.set(name, body);
    return { status: 200, headers: { ...typed, "content-encoding": "gzip" }, body };
  };
}
