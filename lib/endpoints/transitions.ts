import * as v from "valibot";
import {
  type Endpoint,
  type EndpointCall,
  endpoint,
  type HandlerContext,
  type HandlerResult,
} from "../api/endpoint.ts";
import { checkReferences, prepareRecord } from "../api/prepare-record.ts";
import { requireRecord } from "../api/require-record.ts";
import type { ResourceDefinition, StoredRecord } from "../api/resource-definition.ts";
import { ApiError, type FieldError, fieldErrorCodes, validationError } from "../model/errors.ts";
import { opportunity, opportunityStatuses } from "../model/opportunity.ts";
import { sortStages } from "../model/pipeline.ts";
import { describe, jsonSchema, nonEmptyText, uuid } from "../model/scalars.ts";
import { task, taskStatuses } from "../model/task.ts";
import { cachedReads } from "../storage/cached-reads.ts";
import { deriveJsonReads } from "../storage/storage.ts";
import { opportunityDefinition } from "./opportunities.ts";
import { taskDefinition } from "./tasks.ts";

const missingField = v.pipe(
  v.strictObject({
    path: describe(v.string(), "JSON Pointer into the body of the PATCH, such as `/customFields/segment`."),
    code: describe(v.picklist(fieldErrorCodes), "Type of the error."),
    message: describe(v.string(), "Explanation for people. The wording can change."),
    allowed: v.optional(describe(v.array(v.string()), "Accepted values. At most 20 of them.")),
    field: describe(v.string(), "Name of the field, such as `amount`, or the key of a custom field."),
  }),
  jsonSchema({ title: "MissingField", description: "A field error that the change would return." }),
);
const conflict = v.pipe(
  v.strictObject({
    code: describe(v.string(), "Code of the error, usually `conflict`."),
    message: describe(v.string(), "Explanation for people. The wording can change."),
    reason: v.optional(describe(v.string(), "Cause of the conflict, such as `closed`.")),
  }),
  jsonSchema({
    title: "TransitionConflict",
    description: "An error that isn't about a field, such as a `409 conflict`.",
  }),
);

const stageTarget = v.pipe(
  v.strictObject({
    stageId: describe(uuid, "ID of the stage."),
    stageName: describe(nonEmptyText(255), "Name of the stage."),
    pipelineId: describe(uuid, "ID of the pipeline of the stage."),
  }),
  jsonSchema({ title: "StageTarget", description: "A stage that an opportunity can move to." }),
);

/** Returns the schema of a status that a record can get. */
function statusTarget(title: string, statuses: readonly string[]) {
  const status = describe(v.picklist(statuses), "The status.");
  return v.pipe(v.strictObject({ status }), jsonSchema({ title, description: "A status that a record can get." }));
}

/** Returns the schema of a transition. */
function transitionSchema(title: string, to: v.GenericSchema) {
  return v.pipe(
    v.strictObject({
      to,
      allowed: describe(v.boolean(), "Whether a PATCH with only this stage or status succeeds."),
      conflict: v.optional(conflict),
      missing: describe(v.array(missingField), "The field errors that this PATCH returns in `details.errors`."),
    }),
    jsonSchema({ title, description: "A change of the stage or the status, and the errors that it would return." }),
  );
}

const opportunityStatus = statusTarget("OpportunityStatusTarget", opportunityStatuses);
const sharedDescription =
  "`allowed` says whether a PATCH with only this target succeeds. If it doesn't, `missing` has its field errors, or " +
  "`conflict` has its error. The request changes nothing.";

/** The endpoints that list each change of the stage or the status, and the errors that it would return. */
export const transitions: readonly Endpoint[] = [
  endpoint({
    name: "listOpportunityTransitions",
    method: "GET",
    path: "/opportunities/:id/transitions",
    summary: "List the transitions of an opportunity",
    description: `Returns every stage of the pipeline in order, then every status, including the current ones. ${sharedDescription}`,
    tag: { name: "Opportunities", description: opportunity.descriptions?.about ?? "" },
    scope: "opportunities:read",
    query: {
      pipelineId: v.optional(
        describe(uuid, "ID of the pipeline whose stages to return. Defaults to that of the opportunity."),
      ),
    },
    success: {
      status: 200,
      data: transitionSchema(
        "OpportunityTransition",
        describe(v.union([stageTarget, opportunityStatus]), "The stage or the status."),
      ),
      collection: "list",
    },
    example: { params: { id: "01975941-5b14-79c5-908e-192af1bc2574" } },
    async handle(call, context) {
      const before = await requireRecord(opportunity, call, context);
      const pipelineId = call.query.pipelineId ?? String(before.pipelineId);
      const stages = await listStages(pipelineId, before, call, context);
      const stageTargets = stages.map(({ id, name }) => ({
        to: { stageId: id, stageName: name, pipelineId },
        body: { stageId: id },
      }));
      const targets = [...stageTargets, ...statusTargets(opportunityStatuses)];
      return listTransitions(opportunityDefinition, before, targets, call, context);
    },
  }),
  endpoint({
    name: "listTaskTransitions",
    method: "GET",
    path: "/tasks/:id/transitions",
    summary: "List the transitions of a task",
    description: `Returns every status, including the current one. ${sharedDescription}`,
    tag: { name: "Tasks", description: task.descriptions?.about ?? "" },
    scope: "tasks:read",
    success: {
      status: 200,
      data: transitionSchema("TaskTransition", statusTarget("TaskStatusTarget", taskStatuses)),
      collection: "list",
    },
    example: { params: { id: "019eca87-47f1-7bf5-b34e-d5746cca059b" } },
    async handle(call, context) {
      const before = await requireRecord(task, call, context);
      return listTransitions(taskDefinition, before, statusTargets(taskStatuses), call, context);
    },
  }),
];

/** Returns the stages of a pipeline in order. @throws ApiError `422 invalid_reference` if the pipeline doesn't exist */
async function listStages(
  pipelineId: string,
  before: StoredRecord,
  { caller: { tenantId } }: EndpointCall,
  { storage }: HandlerContext,
) {
  // The record can stay in its pipeline, even if that was archived.
  if (pipelineId !== before.pipelineId) {
    const issues = await checkReferences(storage, tenantId, [
      { path: "?pipelineId", kind: "pipeline", id: pipelineId },
    ]);
    if (issues.length > 0) throw validationError(issues);
  }
  return sortStages(await storage.list(tenantId, "stage", { where: { pipelineId } }));
}

/** A target as in the response, and the body of the PATCH that changes a record into it. */
type Target = { readonly to: object; readonly body: object };

function statusTargets(statuses: readonly string[]): readonly Target[] {
  return statuses.map((status) => ({ to: { status }, body: { status } }));
}

async function listTransitions<Related>(
  definition: ResourceDefinition<Related>,
  before: StoredRecord,
  targets: readonly Target[],
  call: EndpointCall,
  context: HandlerContext,
): Promise<HandlerResult> {
  const reads = cachedReads(context.storage);
  const shared = { ...context, storage: { ...reads, ...deriveJsonReads(reads) } };
  const results = targets.map(async ({ to, body }) => {
    return { to, ...(await tryUpdate(definition, before, { ...call, body }, shared)) };
  });
  return { status: 200, body: { data: await Promise.all(results) } };
}

/** Runs the checks of a PATCH, and returns its error as a value. */
async function tryUpdate<Related>(
  definition: ResourceDefinition<Related>,
  before: StoredRecord,
  call: EndpointCall,
  context: HandlerContext,
) {
  try {
    await prepareRecord(definition, before, call, context);
    return { allowed: true, missing: [] };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, message, details = {} } = error;
    const { errors, reason } = details as { errors?: readonly FieldError[]; reason?: string };
    if (errors === undefined) return { allowed: false, conflict: { code, message, reason }, missing: [] };
    return { allowed: false, missing: errors.map((each) => ({ ...each, field: fieldNameOf(each) })) };
  }
}

function fieldNameOf({ path }: FieldError): string {
  const [, name = "", key] = path.split("/");
  return name === "customFields" && key !== undefined ? key : name;
}
