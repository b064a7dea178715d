import * as v from "valibot";
import { isApiKey } from "../auth/api-key.js";
import { filledText, must, uuid } from "../input/scalars.js";
import { models } from "../records/kinds.js";
import { entrySchema } from "../records/schemas.js";
/** A key in clear (fixtures), or by its hash and mask (exports). */
const { integrationId: _integration, hash: _hash, maskedKey: _mask, ...keyFields } = models.apiKey.fields;
const keyEntry = entrySchema({ ...models.apiKey, fields: keyFields }, {
    key: v.optional(v.pipe(v.string("must be an API key"), must("invalid_format", isApiKey, "must be an API key with the right checksum"))),
    hash: v.optional(v.pipe(v.string("must be a SHA-256 in hex"), v.regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in hex"))),
    maskedKey: v.optional(filledText(100)),
});
const list = (schema) => v.optional(v.array(schema, "must be a list"), []);
const { pipelineId: _pipeline, ...stageFields } = models.stage.fields;
/** A tenant whole, in the shapes of the API: fixtures, set-up and export are this one format. */
export const tenantFileSchema = v.strictObject({
    $schema: v.optional(v.string()),
    exported: v.optional(v.boolean("must be true or false")),
    tenant: entrySchema(models.tenant, { id: uuid }),
    users: list(entrySchema(models.user)),
    pipelines: list(entrySchema(models.pipeline, {
        stages: v.array(entrySchema({ ...models.stage, fields: stageFields }), "must be a list"),
    })),
    customFields: list(entrySchema(models.customField)),
    rules: list(entrySchema(models.rule)),
    integrations: list(entrySchema(models.integration, { keys: list(keyEntry) })),
    grants: list(entrySchema(models.grant)),
    accounts: list(entrySchema(models.account)),
    contacts: list(entrySchema(models.contact)),
    opportunities: list(entrySchema(models.opportunity)),
    tasks: list(entrySchema(models.task)),
});
