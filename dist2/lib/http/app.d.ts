import { RESPONSE_ALREADY_SENT as alreadySent } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import { type Runtime } from "../api.ts";
import type { Endpoint } from "../endpoint.ts";
import type { Limiter } from "../limits.ts";
import { type AppOptions } from "./app-options.ts";
import { type AuthDependencies } from "./authenticate-request.ts";
import { type ConcurrencyLimit, type PendingWork } from "./pending-work.ts";
import type { RequestEnv } from "./request-env.ts";
import { type RequestSummary } from "./request-log.ts";
import { type UnsentBytes } from "./unsent-bytes.ts";
type Env = {
    Bindings: RequestEnv;
};
export { alreadySent };
/** What the app needs of an API. */
export type HttpRuntime = Runtime & AuthDependencies & {
    readonly limiter: Limiter;
    readonly requests: PendingWork;
    readonly concurrency: ConcurrencyLimit;
    readonly unsent: UnsentBytes;
    readonly onResponse: ((summary: RequestSummary) => void) | undefined;
    /** Monotonic time in milliseconds. */
    readonly now: () => number;
};
/**
 * Returns the API as a Hono app. Serve its `fetch`, or mount it with `app.route("/crm", crmApp(api))`.
 * Served on its own, it accepts any path before `/integrations`, such as the prefix of a gateway.
 */
export declare function crmApp(api: {
    readonly endpoints: readonly Endpoint[];
    readonly runtime: HttpRuntime;
}, options?: AppOptions): Hono<Env>;
