import * as v from "valibot";
import { endpoint } from "../api/endpoint.ts";
import { scopes } from "../model/integration.ts";
import { dateTime, describe, integer, jsonSchema, uuid } from "../model/scalars.ts";
import { formatDateTime } from "../model/time.ts";

const tag = { name: "Me", description: "What a key is and may do." };
const rateLimit = describe(
  v.strictObject({
    limit: describe(integer(0), "How many requests of this key are accepted in 60 seconds."),
    remaining: describe(integer(0), "How many of them are left, this request counted."),
    reset: describe(dateTime, "When all of them are back."),
  }),
  "Where the key stands with its rate limit.",
);
const data = v.pipe(
  v.strictObject({
    tenantId: describe(uuid, "The tenant that the key acts on."),
    integrationId: v.nullable(
      describe(uuid, "The integration that the key belongs to. Null: the host vouches for the caller."),
    ),
    keyId: v.nullable(describe(uuid, "The key itself, as administrators see it. Null: there is none.")),
    scopes: describe(v.array(v.picklist(scopes)), "What the integration may do."),
    rateLimit,
    serverTime: describe(dateTime, "The time of the server's clock."),
  }),
  jsonSchema({ title: "Me", description: "The caller, as the service sees it." }),
);

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
      const reset = rate && formatDateTime(clock.now() + rate.resetMs);
      const rateLimit = rate === undefined ? null : { limit: rate.limit, remaining: rate.remaining, reset };
      const data = { tenantId, integrationId, keyId, scopes, rateLimit, serverTime: formatDateTime(clock.now()) };
      return { status: 200, body: { data } };
    },
  }),
];
