import { extname } from "node:path";
import { gunzipSync } from "node:zlib";
import { ApiError, commonHeaders, resolveRequestId, uuidV7 } from "#lib";
import type { FetchHandler } from "#lib/node";
import { enumSetting } from "../cli/setting.ts";
import { findDocsSite } from "./docs-bytes.ts";
import { openPackedFiles, type PackedFiles } from "./packed-files.ts";

export const docsSettings = {
  docs: enumSetting(["on", "off"], "whether to serve the documentation at /docs/, if it is built in", "on"),
} as const;

const sitePath = "/docs";
const allowed = "GET, HEAD";

/** Scripts and styles come only from files of this server. No site can frame the pages. */
const csp = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".png": "image/png",
  ".txt": "text/plain; charset=utf-8",
  ".yml": "application/yaml",
};

/** Returns the handler of the documentation site. Undefined if it is off or isn't built in. */
export function openDocsSite({ docs }: { readonly docs: "on" | "off" }): FetchHandler | undefined {
  const read = docs === "off" ? undefined : findDocsSite();
  return read && serveSite(() => openPackedFiles(read()));
}

/** Returns a handler for `/docs` and the paths below it. The first request opens the files. */
export function serveSite(open: () => PackedFiles): FetchHandler {
  let files: PackedFiles | undefined;
  return {
    fetch(request) {
      files ??= open();
      return respond(files, request);
    },
  };
}

/** Serves `/docs` before any other path. */
export function withDocsSite(handler: FetchHandler, site: FetchHandler | undefined): FetchHandler {
  if (site === undefined) return handler;
  return { fetch: (request, env) => (isSitePath(request.url) ? site : handler).fetch(request, env) };
}

function isSitePath(url: string): boolean {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  return url.startsWith(sitePath, start) && /^(?:[/?#]|$)/.test(url.slice(start + sitePath.length));
}

async function respond(files: PackedFiles, { url, method, headers: sent }: Request): Promise<Response> {
  const common = commonHeaders(resolveRequestId(sent.get("x-request-id"), () => uuidV7(Date.now())));
  if (method !== "GET" && method !== "HEAD") {
    const error = new ApiError("bad_request", `Method ${method.slice(0, 20)} isn't allowed. Allowed: ${allowed}.`);
    return Response.json(error, { status: 405, headers: { ...common, allow: allowed } });
  }
  const { pathname } = new URL(url);
  if (pathname === sitePath)
    return new Response(null, { status: 308, headers: { ...common, location: `${sitePath}/` } });
  const wanted = decodePath(pathname.slice(sitePath.length + 1)).replace(/(^|\/)$/, "$1index.html");
  // People leave out the ending of a page.
  if (!files.index.has(wanted) && files.index.has(`${wanted}.html`))
    return new Response(null, { status: 308, headers: { ...common, location: `${pathname}.html` } });
  const path = files.index.has(wanted) ? wanted : "404.html";
  const file = files.index.get(path);
  if (file === undefined) throw new Error("The documentation site has no 404.html.");
  const status = path === wanted ? 200 : 404;
  const headers = {
    ...common,
    "content-security-policy": csp,
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    // Browsers ask with the ETag on each load, so that an update of the program takes effect at once.
    "cache-control": "no-cache",
    etag: file.etag,
    vary: "accept-encoding",
  };
  if (status === 200 && sent.get("if-none-match") === file.etag) return new Response(null, { status: 304, headers });
  const isCompressed = /\bgzip\b/.test(sent.get("accept-encoding") ?? "");
  const compressed = files.read(file);
  const body = isCompressed ? compressed : new Uint8Array(gunzipSync(compressed));
  return new Response(method === "HEAD" ? null : body, {
    status,
    headers: {
      ...headers,
      ...(isCompressed && { "content-encoding": "gzip" }),
      "content-type": types[extname(path)] ?? "application/octet-stream",
      "content-length": String(body.length),
    },
  });
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
