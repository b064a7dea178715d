import { RegExpRouter } from "hono/router/reg-exp-router";
import { SmartRouter } from "hono/router/smart-router";
import { TrieRouter } from "hono/router/trie-router";
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

const methods = ["GET", "POST", "PATCH", "DELETE"];

/** Finds what a request is for: hono's router over the endpoints and the pages, behind any prefix. */
export class Router {
  readonly #router = new SmartRouter<Endpoint | Page>({ routers: [new RegExpRouter(), new TrieRouter()] });

  constructor(endpoints: readonly Endpoint[], pages: readonly Page[]) {
    for (const page of pages) this.#router.add("GET", basePath + page.path, page);
    for (const endpoint of endpoints) {
      const base = endpoint.access === "admin" ? root : basePath;
      this.#router.add(endpoint.method, base + endpoint.path, endpoint);
    }
  }

  /** @throws ApiError `404 not_found`, `405 bad_request` with `Allow` */
  match(method: string, pathname: string): Match | PageMatch {
    const start = pathname.lastIndexOf(`${root}/`);
    const path = start < 0 ? "/" : pathname.slice(start);
    const found = this.#find(method, path);
    if (found !== undefined) return { ...found, prefix: pathname.slice(0, start) };
    const allowed = methods.filter((other) => this.#find(other, path) !== undefined);
    if (allowed.length === 0) throw new ApiError("not_found", "There is nothing at this path.");
    const allow = allowed.join(", ");
    const message = `This path takes ${allow}, not ${method.slice(0, 20)}.`;
    throw new ApiError("bad_request", message, { status: 405, headers: { Allow: allow } });
  }

  #find(method: string, path: string): Omit<Match, "prefix"> | Omit<PageMatch, "prefix"> | undefined {
    const [handlers, stash] = this.#router.match(method, path);
    const first = handlers[0];
    if (first === undefined) return undefined;
    const [target, indexes] = first;
    const found = Object.entries(indexes).map(([name, at]) => {
      return [name, decoded(String(typeof at === "number" ? stash?.[at] : at))];
    });
    const params = Object.fromEntries(found);
    return "handle" in target ? { endpoint: target, params } : { page: target, params };
  }
}

/** Badly encoded, an id is just one that does not exist. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
