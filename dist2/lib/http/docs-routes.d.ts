import { type Context, Hono } from "hono";
import type { HttpResponse } from "./http-response.ts";
import type { RequestEnv } from "./request-env.ts";
type Env = {
    Bindings: RequestEnv;
};
/** Returns the routes of the OpenAPI description and the reference page. They need no API key and have no rate limit. */
export declare function docsRoutes(route: (handler: (c: Context<Env>) => HttpResponse) => (c: Context<Env>) => Promise<Response>): Hono<Env>;
export {};
