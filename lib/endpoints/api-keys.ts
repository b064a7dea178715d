import { endpoint } from "../endpoint.ts";
import { ApiError } from "../errors.ts";
import { type ApiKey, apiKey } from "../records/integration.ts";
import { emptyBody } from "../records/schemas.ts";
import { findRecord } from "../resource.ts";
import { keyView, revocation } from "../rules/key-state.ts";
import { generateApiKey, generation } from "./generate-api-key.ts";

/** The integrations' keys, for administrators. A value is shown once, when it is made, and kept nowhere. */
export const apiKeys = [
  endpoint({
    name: "listApiKeys",
    method: "GET",
    path: "/api-key",
    access: "admin",
    summary: "List the tenant's API keys, masked",
    async handle({ caller: { tenantId } }, { storage, clock }) {
      const integrations = await storage.list(tenantId, "integration", {});
      const keys = await storage.list(tenantId, "apiKey", {});
      const oldestFirst = keys.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
      const data = oldestFirst.flatMap((key) => {
        const owner = integrations.find(({ id }) => id === key.integrationId);
        return owner === undefined ? [] : [keyView(key, owner, clock.now())];
      });
      return { status: 200, body: { data } };
    },
  }),
  endpoint({
    name: "generateApiKey",
    method: "POST",
    path: "/api-key/generate",
    access: "admin",
    summary: "Make an API key, or rotate",
    body: generation,
    handle: generateApiKey,
  }),
  endpoint({
    name: "revokeApiKey",
    method: "POST",
    path: "/api-key/:id/revoke",
    access: "admin",
    summary: "Revoke an API key",
    body: emptyBody,
    async handle(call, context) {
      const { storage, clock } = context;
      const key = (await findRecord(apiKey, call, context)) as unknown as ApiKey;
      const owner = await storage.get(call.caller.tenantId, "integration", key.integrationId);
      if (owner === undefined) throw new ApiError("not_found", "There is no API key with this id.");
      if (key.revokedAt !== null) return { status: 200, body: { data: keyView(key, owner, clock.now()) } };
      return (at) => {
        const write = revocation(key, at);
        return { status: 200, body: { data: keyView(write.record, owner, at) }, writes: [write] };
      };
    },
  }),
];
