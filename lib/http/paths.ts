import { TrieRouter } from "hono/router/trie-router";
import type { Endpoint } from "../api/endpoint.ts";
import type { ValidationIssue } from "../model/errors.ts";
import { isUuid } from "../model/scalars.ts";
import { closest, didYouMean, quote } from "../model/suggest.ts";
import { jsonPointer } from "../model/validate.ts";
import { hideApiKeys } from "./request-problem.ts";

/** Path prefix of the admin endpoints, and part of every path of the API. */
export const rootPath = "/integrations";
/** Path prefix of the integration endpoints. */
export const basePath = `${rootPath}/v1`;

/** Returns the path of an endpoint, from `/integrations` on. */
export function pathOf({ access, path }: Endpoint): string {
  return (access === "admin" ? rootPath : basePath) + path;
}

/** Returns the path of a URL without the prefix of a gateway. */
export function stripGatewayPrefix(url: string): string {
  const path = pathname(url);
  return path.startsWith(`${basePath}/`) ? path : path.slice(Math.max(path.search(apiPathPattern), 0));
}

/** Whether a path could belong to the API, behind any prefix. Other paths belong to the host. */
export function isApiPath(path: string): boolean {
  return apiPathPattern.test(path);
}

/** Paths that have no endpoint. */
const docsPaths = [`${basePath}/docs`, `${basePath}/openapi.json`];

/** Returns ` Did you mean "x"?` for a path that is close to a known one, or an empty string. */
export function suggestPath(path: string, endpoints: readonly Endpoint[]): string {
  const known = [...endpoints.map((endpoint) => pathOf(endpoint).replace(/:(\w+)/g, "{$1}")), ...docsPaths];
  // The start of a path is long enough to make any two paths similar.
  const relative = new Map(known.map((each) => [withoutStart(each), each]));
  // An ID has a digit, a name has none.
  const template = withoutStart(path).replace(/[^/]*\d[^/]*/g, "{id}");
  return didYouMean(relative.get(closest(template, [...relative.keys()]) ?? ""));
}

function withoutStart(path: string): string {
  return path.replace(/^(?:\/integrations)?(?:\/v\d+)?(?=\/)/, "").replace(/(?<=.)\/$/, "");
}

const apiPathPattern = /\/integrations\/(?:v1|api-key|admin)(?:\/|$)/;

function pathname(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.slice(start).search(/[?#]/);
  return start < 0 ? "/" : url.slice(start, end < 0 ? undefined : start + end);
}

/** Returns `location` relative to the request URL, so that it is valid behind any gateway. Both paths are relative to the base path. */
export function relativeLocation(url: string, path: string, location: string): string {
  const segments = path.split("/").length - 2 + (pathname(url).endsWith("/") ? 1 : 0);
  return "../".repeat(segments) + location.slice(1);
}

/** Returns a function that finds the name of the operation that a request is for. It returns null if there is none. */
export function operationNames(endpoints: readonly Endpoint[]): (request: Request) => string | null {
  const router = new TrieRouter<string>();
  for (const endpoint of endpoints) router.add(endpoint.method, pathOf(endpoint), endpoint.name);
  return ({ method, url }) => {
    const [[match]] = router.match(method === "HEAD" ? "GET" : method, stripGatewayPrefix(url).replace(/\/$/, ""));
    return match?.[0] ?? null;
  };
}

/** The parameters of a query string, and the errors in their encoding. */
export type ParsedQuery = {
  readonly values: Readonly<Record<string, string>>;
  readonly issues: readonly ValidationIssue[];
};

/** Parses the query string of a URL. A parameter may occur once, in percent-encoded UTF-8. */
export function parseQueryString(url: string): ParsedQuery {
  const [, search = ""] = /\?([^#]*)/.exec(url) ?? [];
  const values: Record<string, string> = Object.create(null);
  const issues: ValidationIssue[] = [];
  for (const part of search.split("&")) {
    if (part === "") continue;
    const cut = part.includes("=") ? part.indexOf("=") : part.length;
    const [name, value] = [decode(part.slice(0, cut)), decode(part.slice(cut + 1))];
    const written = name ?? part.slice(0, cut);
    if (name === undefined || value === undefined)
      issues.push(encodingIssue(written, "isn't valid percent-encoded UTF-8"));
    else if (name in values) issues.push(encodingIssue(written, "occurs more than once. Send it once"));
    else values[name] = value;
  }
  return { values, issues };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

function encodingIssue(name: string, predicate: string): ValidationIssue {
  const message = `${quote(name)} ${predicate}.`;
  return { kind: "shape", problem: { path: jsonPointer([name], "?"), code: "invalid_format", message } };
}

const maxLoggedParameters = 20;
const maxNameLength = 100;

/** Returns the path of a request without values: IDs replace the parameters, and query parameters have only their names. */
export function loggedPath({ path: route }: Endpoint, { id }: Readonly<Record<string, string>>, url: string): string {
  const path = id !== undefined && isUuid(id) ? route.replace(":id", id.toLowerCase()) : route;
  const start = url.indexOf("?") + 1;
  const hash = url.indexOf("#", start);
  const search = start === 0 ? "" : url.slice(start, hash === -1 ? undefined : hash);
  return search === "" ? path : `${path}?${search.split("&", maxLoggedParameters).map(parameterName).join("&")}`;
}

/** Returns the name in a part of a query string, such as `limit` for `limit=50`. */
function parameterName(part: string): string {
  const end = part.indexOf("=");
  return hideApiKeys(part.slice(0, Math.min(end === -1 ? part.length : end, maxNameLength)));
}
