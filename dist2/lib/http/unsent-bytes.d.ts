import type { ServerResponse } from "node:http";
import type { Caller } from "../endpoint.ts";
import type { HttpResponse } from "./http-response.ts";
/** Bounds the memory and the time that large responses take, so that a caller that doesn't read them affects no other tenant. */
export declare class UnsentBytes {
    #private;
    /**
     * Waits for a later turn of the event loop if the tenant has got a large response in this one. Then one request of
     * the tenant runs per turn until none waits, so that requests of other tenants run in between.
     */
    waitForTurn({ tenantId }: Caller): Promise<void> | undefined;
    /**
     * Rejects a request if its response could exhaust the memory. If all tenants together exceed the limit, only those
     * are affected that exceed their equal share.
     * @throws Overloaded
     */
    assertRoom(caller: Caller): void;
    /** Counts the bytes of a response until it is sent or aborted. Call it before the response is sent. */
    track(caller: Caller, body: HttpResponse["body"], outgoing: ServerResponse | undefined): void;
}
/** Identifies whose requests are counted together. IDs are unique within a tenant only. */
export declare function rateLimitKey({ tenantId, keyId, userId }: Caller): string;
