import { TrieRouter } from "hono/router/trie-router";
import { apiPath, pathOf } from "./paths.js";
/** Returns a function that finds the name of the operation that a request is for. It returns null if there is none. */
export function operationNames(endpoints) {
    const router = new TrieRouter();
    for (const endpoint of endpoints)
        router.add(endpoint.method, pathOf(endpoint), endpoint.name);
    return ({ method, url }) => {
        const [[match]] = router.match(method === "HEAD" ? "GET" : method, apiPath(url));
        return match?.[0] ?? null;
    };
}
