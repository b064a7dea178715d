import { useEffect, useState } from "preact/hooks";
import { type Query, toQueryString } from "./api.ts";

/** The part of the URL after `#`: `#/accounts/ID?tab=tasks` has the path `["accounts", "ID"]`. */
export type Route = { readonly path: readonly string[]; readonly query: URLSearchParams };

function currentRoute(): Route {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  return { path: path.split("/").filter(Boolean).map(decode), query: new URLSearchParams(query) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the link to a path of the console. */
export function href(path: readonly string[], query: Query = {}): string {
  return `#/${path.map(encodeURIComponent).join("/")}${toQueryString(query)}`;
}

export function navigate(path: readonly string[], query: Query = {}): void {
  location.hash = href(path, query);
}

/** Returns the current route, and renders again when it changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute);
  useEffect(() => {
    const update = (): void => setRoute(currentRoute());
    addEventListener("hashchange", update);
    // It can have changed since the first rendering.
    update();
    return () => removeEventListener("hashchange", update);
  }, []);
  return route;
}
