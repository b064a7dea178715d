import { type Endpoint, endpoint } from "../api/endpoint.ts";
import { requireRecord } from "../api/require-record.ts";
import { setUpResource } from "../api/resource.ts";
import { revokeWrite, toApiKeyJson } from "../api/rules/api-key-status.ts";
import { type Integration, integration } from "../model/integration.ts";
import { emptyBody } from "../model/schemas.ts";
import { apiKeySchema } from "./api-key-schema.ts";
import { setUpTag } from "./set-up-pipelines.ts";

const exampleId = "0196c4b9-67ba-77d2-8942-340a98fd126a";

/** Sentences about the API keys of an integration, by operation. */
const keyNotes: Readonly<Record<string, string>> = {
  adminArchiveIntegration:
    "Its API keys are rejected while it is archived, but they aren't revoked: restoring it brings them back. To end " +
    "them for good, also send `POST /admin/integrations/{id}/revoke-keys`.",
  adminRestoreIntegration: "Its API keys work again, unless they are revoked or expired.",
};

/** The endpoints of integrations, for admins. */
export const setUpIntegrations: readonly Endpoint[] = [
  ...setUpResource(
    {
      model: integration,
      filters: {},
      example: {
        id: exampleId,
        create: { name: "Newsletter", scopes: ["contacts:read"] },
        update: { scopes: ["tasks:read", "tasks:write"] },
      },
    },
    setUpTag,
    { create: ["duplicate"], update: ["conflict", "duplicate"], archive: [], restore: [] },
  ).map((each) => {
    const note = keyNotes[each.name];
    return note === undefined ? each : { ...each, description: `${each.description} ${note}` };
  }),
  endpoint({
    name: "adminRevokeIntegrationKeys",
    method: "POST",
    path: "/admin/integrations/:id/revoke-keys",
    summary: "Revoke all API keys of an integration",
    description:
      "All API keys of the integration are rejected from the time of this response on, for good. The integration can be " +
      "archived. Returns all its API keys. Sending it again has no effect on them.",
    tag: setUpTag,
    access: "admin",
    success: { status: 200, data: apiKeySchema, collection: "list" },
    example: { params: { id: exampleId } },
    body: emptyBody,
    async handle(call, context) {
      const { tenantId } = call.caller;
      const owner = (await requireRecord(integration, call, context, true)) as unknown as Integration;
      const keys = await context.storage.list(tenantId, "apiKey", { where: { integrationId: owner.id } });
      return (at, now) => {
        const writes = keys.filter(({ revokedAt }) => revokedAt === null).map((key) => revokeWrite(key, at, now));
        const revoked = new Map(writes.map(({ record }) => [record.id, record]));
        const data = keys.map((key) => toApiKeyJson(revoked.get(key.id) ?? key, owner, now));
        return { status: 200, body: { data }, writes };
      };
    },
  }),
];
