import type { Endpoint } from "../endpoint.ts";
import { ApiError } from "../errors.ts";
import type { Page } from "./pages.ts";

/** What a path leads to. `prefix` is all that stands before the service's own part, from a gateway or a mount. */
export type Match = {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
  readonly prefix: string;
};
export type PageMatch = Omit<Match, "endpoint"> & { readonly page: Page };

/** What every path of the service begins with, after whatever prefix; administrators' endpoints stand right under it. */
const root = "/integrations";
/** The path that the integration endpoints stand under. */
export const basePath = `${root}/v1`;

/** Whether a path may be one of the service's, behind whatever prefix: others of that beginning are the host's. */
export function isOurs(pathname: string): boolean {
  return /\/integrations\/(?:v1|api-key)(?:\/|$)/.test(pathname);
}

type Target = { readonly endpoint: Endpoint } | { readonly page: Page };
type Route = {
  readonly method: string;
  readonly target: Target;
  readonly segments: readonly string[];
  readonly isAdmin: boolean;
};

const methods = ["GET", "POST", "PATCH", "DELETE"];

/** Finds the endpoint or page of a request, behind any prefix. Where two paths fit, a fixed segment comes before an id. */
export class Router {
  /** By number of segments, so that few are compared with a path. */
  readonly #routes = new Map<number, Route[]>();

  constructor(endpoints: readonly Endpoint[], pages: readonly Page[]) {
    const routes = [
      ...pages.map((page) => routeOf("GET", basePath + page.path, { page })),
      ...endpoints.map((endpoint) => {
        const base = endpoint.access === "admin" ? root : basePath;
        return routeOf(endpoint.method, base + endpoint.path, { endpoint });
      }),
    ];
    // The last character there is, in place of ":id", sorts behind every fixed segment.
    const rank = ({ segments }: Route): string => segments.join("/").replace(/:\w+/g, "\uffff");
    for (const route of routes.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))) {
      this.#routes.set(route.segments.length, [...(this.#routes.get(route.segments.length) ?? []), route]);
    }
  }

  /** @throws ApiError `404 not_found`, `405 bad_request` with `Allow` */
  match(method: string, pathname: string): Match | PageMatch {
    const start = pathname.lastIndexOf(`${root}/`);
    const path = start < 0 ? [] : pathname.slice(start).split("/");
    const prefix = pathname.slice(0, Math.max(start, 0));
    // An admin endpoint behind a path of the API would be open wherever a gateway lets /integrations/v1 through.
    const routes = (this.#routes.get(path.length) ?? []).filter(({ isAdmin }) => !isAdmin || !isOurs(prefix));
    const found = routes.find((route) => route.method === method && fits(route.segments, path));
    if (found !== undefined) {
      return { ...found.target, params: paramsOf(found.segments, path), prefix };
    }
    const fitting = routes.filter(({ segments }) => fits(segments, path));
    const allowed = methods.filter((other) => fitting.some((route) => route.method === other));
    if (allowed.length === 0) throw new ApiError("not_found", "There is nothing at this path.");
    const allow = allowed.join(", ");
    const message = `This path takes ${allow}, not ${method.slice(0, 20)}.`;
    throw new ApiError("bad_request", message, { status: 405, headers: { Allow: allow } });
  }
}

function routeOf(method: string, path: string, target: Target): Route {
  const isAdmin = "endpoint" in target && target.endpoint.access === "admin";
  return { method, target, segments: path.split("/"), isAdmin };
}

/** The same segments, and something in the place of each parameter. */
function fits(segments: readonly string[], path: readonly string[]): boolean {
  return segments.every((segment, index) => (segment[0] === ":" ? path[index] !== "" : segment === path[index]));
}

function paramsOf(segments: readonly string[], path: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    if (segment[0] === ":") params[segment.slice(1)] = decoded(path[index] ?? "");
  }
  return params;
}

/** Badly encoded, an id is just one that does not exist. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
