import { endpoint } from "../endpoint.ts";
import { timeText } from "../records/model.ts";

/** Who am I: what a client asks first, to see that its key works and what it may do. */
export const me = [
  endpoint({
    name: "getMe",
    method: "GET",
    path: "/me",
    summary: "The caller's tenant, integration, key, scopes and rate limit",
    async handle({ caller, rate }, { clock }) {
      const { tenantId, integrationId, keyId, scopes } = caller;
      const reset = rate && timeText(clock.now() + rate.resetMs);
      const rateLimit = rate === undefined ? null : { limit: rate.limit, remaining: rate.remaining, reset };
      const data = { tenantId, integrationId, keyId, scopes, rateLimit, serverTime: timeText(clock.now()) };
      return { status: 200, body: { data } };
    },
  }),
];
