import * as v from "valibot";
import { endpoint } from "../endpoint.js";
import { instant, means, oneOf, said, uuid, wholeNumber } from "../input/scalars.js";
import { scopes } from "../records/integration.js";
import { timeText } from "../records/time.js";
const tag = { name: "Me", description: "What a key is and may do." };
const rateLimit = said(v.strictObject({
    limit: said(wholeNumber(0), "How many requests of this key are accepted in 60 seconds."),
    remaining: said(wholeNumber(0), "How many of them are left, this request counted."),
    reset: said(instant, "When all of them are back."),
}), "Where the key stands with its rate limit.");
const data = v.pipe(v.strictObject({
    tenantId: said(uuid, "The tenant that the key acts on."),
    integrationId: v.nullable(said(uuid, "The integration that the key belongs to. Null: the host vouches for the caller.")),
    keyId: v.nullable(said(uuid, "The key itself, as administrators see it. Null: there is none.")),
    scopes: said(v.array(oneOf(scopes)), "What the integration may do."),
    rateLimit,
    serverTime: said(instant, "The time of the server's clock."),
}), means({ title: "Me", description: "The caller, as the service sees it." }));
/** Who am I: what a client asks first, to see that its key works and what it may do. */
export const me = [
    endpoint({
        name: "getMe",
        method: "GET",
        path: "/me",
        summary: "The caller's tenant, integration, key, scopes and rate limit",
        description: "The call to begin with: it shows that a key works, and needs no scope.",
        tag,
        success: { status: 200, data },
        example: {},
        async handle({ caller, rate }, { clock }) {
            const { tenantId, integrationId, keyId, scopes } = caller;
            const reset = rate && timeText(clock.now() + rate.resetMs);
            const rateLimit = rate === undefined ? null : { limit: rate.limit, remaining: rate.remaining, reset };
            const data = { tenantId, integrationId, keyId, scopes, rateLimit, serverTime: timeText(clock.now()) };
            return { status: 200, body: { data } };
        },
    }),
];
