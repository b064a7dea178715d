import { TrieRouter } from "hono/router/trie-router";
import type { Endpoint } from "../api/endpoint.ts";
import { pathOf, stripGatewayPrefix } from "./paths.ts";

/** Returns a function that finds the name of the operation that a request is for. It returns null if there is none. */
export function operationNames(endpoints: readonly Endpoint[]): (request: Request) => string | null {
  const router = new TrieRouter<string>();
  for (const endpoint of endpoints) router.add(endpoint.method, pathOf(endpoint), endpoint.name);
  return ({ method, url }) => {
    const [[match]] = router.match(method === "HEAD" ? "GET" : method, stripGatewayPrefix(url).replace(/\/$/, ""));
    return match?.[0] ?? null;
  };
}
