import { Hono } from "hono";
import { ApiError } from "../errors.js";
import { openApiBytes } from "../openapi/description.js";
import { page, pageFile, pagePolicy } from "../openapi/reference.js";
/** Returns the routes of the OpenAPI description and the reference page. They need no API key and have no rate limit. */
export function docsRoutes(route) {
    const app = new Hono();
    app.get("/openapi.json", route(() => respond("application/json", openApiBytes())));
    app.get("/docs", route(() => respond(page.type, page.body, pageHeaders)));
    // The page loads its files by relative URLs, so it has exactly one URL.
    app.get("/docs/", route(() => ({ status: 308, headers: { location: "../docs" }, body: null })));
    app.get("/docs/:file", route(({ req }) => {
        const file = pageFile(req.param("file") ?? "");
        if (file === undefined)
            throw new ApiError("not_found", "Unknown path.");
        return respond(file.type, file.body, cacheHeaders);
    }));
    return app;
}
const pageHeaders = { "content-security-policy": pagePolicy, "referrer-policy": "no-referrer" };
/** These files change only with the version of the package. */
const cacheHeaders = { "cache-control": "public, max-age=3600" };
function respond(type, body, headers = {}) {
    return { status: 200, headers: { "content-type": type, ...headers }, body };
}
