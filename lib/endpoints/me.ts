import * as v from "valibot";
import { endpoint } from "../api/endpoint.ts";
import { dateTime, formatDateTime } from "../model/date-time.ts";
import { scopes } from "../model/integration.ts";
import { describe, integer, jsonSchema, uuid } from "../model/scalars.ts";

const tag = { name: "Me", description: "The authenticated caller." };
const rateLimit = describe(
  v.strictObject({
    limit: describe(integer(0), "Maximum number of requests in 60 seconds."),
    remaining: describe(integer(0), "Number of requests left, after this one."),
    resetAt: describe(dateTime, "Time at which `remaining` is back at `limit`."),
  }),
  "Rate limit state of the API key.",
);
const data = v.pipe(
  v.strictObject({
    tenantId: describe(uuid, "ID of the tenant."),
    integrationId: v.nullable(describe(uuid, "ID of the integration. `null` if the host authenticates the caller.")),
    keyId: v.nullable(describe(uuid, "ID of the API key. `null` if there is none.")),
    scopes: describe(v.array(v.picklist(scopes)), "Scopes of the integration."),
    rateLimit,
    serverTime: describe(dateTime, "Time on the server."),
  }),
  jsonSchema({ title: "Me", description: "The authenticated caller." }),
);

/** The endpoint that describes the caller. */
export const me = [
  endpoint({
    name: "getMe",
    method: "GET",
    path: "/me",
    summary: "Retrieve the caller",
    description: "Use it to verify an API key. No scope is required.",
    tag,
    success: { status: 200, data },
    example: {},
    async handle({ caller, rate }, { clock }) {
      const { tenantId, integrationId, keyId, scopes } = caller;
      const resetAt = rate && formatDateTime(clock.now() + rate.resetMs);
      const rateLimit = rate === undefined ? null : { limit: rate.limit, remaining: rate.remaining, resetAt };
      const data = { tenantId, integrationId, keyId, scopes, rateLimit, serverTime: formatDateTime(clock.now()) };
      return { status: 200, body: { data } };
    },
  }),
];
