import { endpoint } from "../api/endpoint.ts";
import { requireRecord } from "../api/require-record.ts";
import { revokeWrite, toApiKeyJson } from "../api/rules/api-key-status.ts";
import { ApiError } from "../model/errors.ts";
import { type ApiKey, apiKey } from "../model/integration.ts";
import { emptyBody } from "../model/schemas.ts";
import { apiKeySchema, apiKeyWithValueSchema } from "./api-key-schema.ts";
import { generateApiKey, generateKeyBody } from "./generate-api-key.ts";

const tag = {
  name: "API keys",
  description:
    "For admins, with a token of the tenant's sign-in service as `Authorization: Bearer`. These paths are below " +
    "`/integrations`, without `/v1`.",
};

/** The endpoints of API keys, for admins. */
export const apiKeys = [
  endpoint({
    name: "listApiKeys",
    method: "GET",
    path: "/api-key",
    access: "admin",
    summary: "List API keys",
    description: "Returns all API keys of the tenant, revoked and expired ones too. Their values are masked.",
    tag,
    success: { status: 200, data: apiKeySchema, collection: "list" },
    example: {},
    async handle({ caller: { tenantId } }, { storage, clock }) {
      const integrations = await storage.list(tenantId, "integration", {});
      const keys = await storage.list(tenantId, "apiKey", {});
      const oldestFirst = keys.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
      const data = oldestFirst.flatMap((key) => {
        const owner = integrations.find(({ id }) => id === key.integrationId);
        return owner === undefined ? [] : [toApiKeyJson(key, owner, clock.now())];
      });
      return { status: 200, body: { data } };
    },
  }),
  endpoint({
    name: "generateApiKey",
    method: "POST",
    path: "/api-key/generate",
    access: "admin",
    summary: "Create an API key",
    description:
      "The key belongs to the integration with integrationId or name, or else to the tenant's first integration. A name " +
      "that no integration has creates one. The name and scopes of an existing integration never change: other scopes " +
      "return `409 conflict` with the reason `scopes_differ`, and another name returns `name_differs`.\n\n" +
      "An integration has at most two active keys. A third returns `409 conflict` with the reason `active_key_limit`, " +
      "unless `rotate` is true. To rotate a key: generate the second, give it to the client, revoke the first.",
    tag,
    body: generateKeyBody,
    success: { status: 201, data: apiKeyWithValueSchema },
    errors: ["conflict", "validation_error"],
    example: {
      body: { expiresAt: "2027-11-02T00:00:00Z" },
    },
    handle: generateApiKey,
  }),
  endpoint({
    name: "revokeApiKey",
    method: "POST",
    path: "/api-key/:id/revoke",
    access: "admin",
    summary: "Revoke an API key",
    description: "The API key is rejected from the time of this response on. Revoking it again has no effect.",
    tag,
    success: { status: 200, data: apiKeySchema },
    example: { params: { id: "0196c4ba-b71f-737d-9c75-d94fe955ed5a" } },
    body: emptyBody,
    async handle(call, context) {
      const { storage, clock } = context;
      const key = (await requireRecord(apiKey, call, context)) as unknown as ApiKey;
      const owner = await storage.get(call.caller.tenantId, "integration", key.integrationId);
      if (owner === undefined) throw new ApiError("not_found", "No API key with this ID.");
      if (key.revokedAt !== null) return { status: 200, body: { data: toApiKeyJson(key, owner, clock.now()) } };
      return (at, now) => {
        const write = revokeWrite(key, at, now);
        return { status: 200, body: { data: toApiKeyJson(write.record, owner, now) }, writes: [write] };
      };
    },
  }),
];
