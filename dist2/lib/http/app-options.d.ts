import type { MiddlewareHandler } from "hono";
export type AppOptions = {
    /** Origins whose browser apps may call the API, such as `https://app.example.com`; `*` allows all. None by default. */
    readonly corsOrigins?: readonly string[];
    /** Whether to compress responses over 1 KiB if the client accepts it. Off by default. */
    readonly compress?: boolean;
};
/** Returns the middlewares for these options. They change the `Response`. */
export declare function responseMiddlewares(options: AppOptions): readonly MiddlewareHandler[];
