import * as v from "valibot";
import { isApiKey } from "../auth/api-key.ts";
import { entityModels } from "../model/entities.ts";
import { type Kind, models } from "../model/kinds.ts";
import { nonEmptyText, refine, uuid } from "../model/scalars.ts";
import { tenantFileEntrySchema } from "../model/schemas.ts";

/** The lists of a file, and their kinds. */
export const listKinds: Readonly<Record<string, Kind>> = {
  users: "user",
  pipelines: "pipeline",
  customFields: "customField",
  rules: "rule",
  integrations: "integration",
  grants: "grant",
  ...Object.fromEntries(Object.values(entityModels).map(({ plural, kind }) => [plural, kind])),
};
/** The lists inside entries: name, kind, and the field with the ID of the enclosing entry. */
export const nestedLists: Readonly<Partial<Record<Kind, { name: string; kind: Kind; link: string }>>> = {
  pipeline: { name: "stages", kind: "stage", link: "pipelineId" },
  integration: { name: "keys", kind: "apiKey", link: "integrationId" },
};

/** Fixtures contain API keys in plain text. Exports contain their hash and masked value. */
const { integrationId: _integration, hash: _hash, maskedKey: _mask, ...keyFields } = models.apiKey.fields;
const keyEntry = tenantFileEntrySchema(
  { ...models.apiKey, fields: keyFields },
  {
    key: v.optional(
      v.pipe(
        v.string("must be an API key"),
        refine("invalid_format", isApiKey, "must be an API key with a valid checksum"),
      ),
    ),
    hash: v.optional(
      v.pipe(v.string("must be a SHA-256 in hex"), v.regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in hex")),
    ),
    maskedKey: v.optional(nonEmptyText(100)),
  },
);

const list = <S extends v.GenericSchema>(schema: S) => v.optional(v.array(schema, "must be a list"), []);
const { pipelineId: _pipeline, ...stageFields } = models.stage.fields;

/** The format of fixtures and exports: one tenant with all its records, in the format of the API. */
export const tenantFileSchema = v.strictObject({
  $schema: v.optional(v.string()),
  exported: v.optional(v.boolean("must be true or false")),
  tenant: tenantFileEntrySchema(models.tenant, { id: uuid }),
  users: list(tenantFileEntrySchema(models.user)),
  pipelines: list(
    tenantFileEntrySchema(models.pipeline, {
      stages: v.array(tenantFileEntrySchema({ ...models.stage, fields: stageFields }), "must be a list"),
    }),
  ),
  customFields: list(tenantFileEntrySchema(models.customField)),
  rules: list(tenantFileEntrySchema(models.rule)),
  integrations: list(tenantFileEntrySchema(models.integration, { keys: list(keyEntry) })),
  grants: list(tenantFileEntrySchema(models.grant)),
  ...Object.fromEntries(Object.values(entityModels).map((model) => [model.plural, list(tenantFileEntrySchema(model))])),
});
