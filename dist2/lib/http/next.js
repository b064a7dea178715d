/** PUT is rejected in the documented envelope. Without a handler, Next.js would send an empty 405. */
const methods = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];
/** Returns the route handlers for `app/…/integrations/[...path]/route.ts` of the Next.js app router. */
export function toNextHandlers(handler, options = {}) {
    const handle = async (request) => handler.fetch(request, { remoteAddress: options.remoteAddress?.(request), hostRequest: request });
    return Object.fromEntries(methods.map((method) => [method, handle]));
}
