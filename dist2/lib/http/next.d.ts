import type { FetchHandler } from "./node.ts";
export type NextOptions = {
    /** Returns the client address, by which failed authentication is limited. Only the host knows which headers to trust. */
    readonly remoteAddress?: (request: Request) => string | undefined;
};
/** PUT is rejected in the documented envelope. Without a handler, Next.js would send an empty 405. */
declare const methods: readonly ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];
/** Returns the route handlers for `app/…/integrations/[...path]/route.ts` of the Next.js app router. */
export declare function toNextHandlers(handler: FetchHandler, options?: NextOptions): Readonly<Record<(typeof methods)[number], (request: Request) => Promise<Response>>>;
export {};
