import { createHash } from "node:crypto";
import * as v from "valibot";
import { type Endpoint, type EndpointCall, endpoint, type HandlerContext } from "../api/endpoint.ts";
import { type BodyPurpose, bodySchema } from "../api/rules/body-schema.ts";
import { type Entity, entityKinds, entityModels } from "../model/entities.ts";
import { validationError } from "../model/errors.ts";
import type { Scope } from "../model/integration.ts";
import type { Kind } from "../model/kinds.ts";
import type { Model } from "../model/model.ts";
import { capitalize } from "../model/names.ts";
import { opportunityStatuses } from "../model/opportunity.ts";
import { defaultPipeline, sortStages } from "../model/pipeline.ts";
import { describe, jsonSchema, uuid } from "../model/scalars.ts";

const tag = {
  name: "Schemas",
  description: "JSON Schemas of request bodies, with the fields and rules of the tenant.",
};
const action = v.optional(
  describe(v.picklist(["create", "update"]), "Whether the body is for a POST or for a PATCH."),
  "create",
);
const state = {
  stageId: v.optional(describe(uuid, "ID of the stage of the opportunity after the request.")),
  status: v.optional(describe(v.picklist(opportunityStatuses), "Status of the opportunity after the request.")),
};
const shared =
  "Contains the built-in fields and the tenant's custom fields with types, lengths, options and descriptions. The " +
  "required fields follow from the model, the custom fields and the tenant's rules. An update may omit fields, but " +
  "not remove a required value. Options and lost reasons are listed in the tenant's spelling; requests can use any case.";
const stateDescription =
  " The schema is for one stage and one status: those in the query, or the ones that a new opportunity gets by " +
  "default. Without them, the schema for an update accepts any stage and status.";

type StateQuery = { readonly for: "create" | "update"; readonly stageId?: string; readonly status?: string };

/** The endpoints that return the schemas of request bodies, one for each entity. */
export const bodySchemas: readonly Endpoint[] = entityKinds.map((kind) => {
  const hasState = kind === "opportunity";
  const { plural } = entityModels[kind];
  const name = `${capitalize(kind)}Schema`;
  return endpoint({
    name: `get${name}`,
    method: "GET",
    path: `/schema/${kind}`,
    summary: `Retrieve the schema of ${plural}`,
    description: `Returns the JSON Schema of the bodies that create or update ${plural}. ${shared}${hasState ? stateDescription : ""}`,
    tag,
    scope: `${plural}:read` as Scope,
    query: hasState ? { for: action, ...state } : { for: action },
    success: { status: 200, data: schemaObject(name) },
    hasETag: true,
    ...(hasState ? { errors: ["invalid_reference" as const] } : {}),
    example: { query: { for: "create" } },
    async handle(call, context) {
      const { tenantId } = call.caller;
      const model: Model<Kind> = entityModels[kind];
      const [catalog, rules, purpose] = await Promise.all([
        model.fields.customFields === undefined
          ? []
          : context.storage.list(tenantId, "customField", { where: { entity: kind } }),
        context.storage.list(tenantId, "rule", { where: { entity: kind } }),
        findPurpose(kind, call as EndpointCall<StateQuery>, context),
      ]);
      const schema = bodySchema(model, catalog, rules, purpose);
      const hash = createHash("sha256").update(JSON.stringify(schema)).digest("base64url");
      return { status: 200, body: { data: schema }, headers: { ETag: `"${hash.slice(0, 22)}"` } };
    },
  });
});

/** Returns the schema of a JSON Schema. */
function schemaObject(title: string) {
  const description = "A JSON Schema (draft 2020-12).";
  return v.pipe(
    v.custom<object>(() => true),
    jsonSchema({ type: "object", title, description, additionalProperties: true }),
  );
}

/** Returns the stage and the status after the request. @throws ApiError `422 invalid_reference` for an unknown stage */
async function findPurpose(
  kind: Entity,
  call: EndpointCall<StateQuery>,
  context: HandlerContext,
): Promise<BodyPurpose> {
  const { for: action, stageId, status } = call.query;
  if (kind !== "opportunity") return { action };
  const { tenantId } = call.caller;
  const { storage } = context;
  const [stages, pipelines] = await Promise.all([
    storage.list(tenantId, "stage", {}),
    storage.list(tenantId, "pipeline", {}),
  ]);
  const firstStage = sortStages(stages.filter((each) => each.pipelineId === defaultPipeline(pipelines)?.id))[0];
  const isCreate = action === "create";
  const stage = stageId === undefined ? (isCreate ? firstStage : undefined) : stages.find(({ id }) => id === stageId);
  const pipeline = pipelines.find(({ id }) => id === stage?.pipelineId);
  if (stageId !== undefined && pipeline === undefined) {
    const problem = { path: "?stageId", code: "not_found", message: "The stage in stageId doesn't exist." } as const;
    throw validationError([{ kind: "invalid_reference", problem }]);
  }
  const defaults = isCreate ? { defaults: { stageId: firstStage?.id, status: "open" } } : {};
  return { action, stage, pipeline, status: status ?? (isCreate ? "open" : undefined), ...defaults };
}
