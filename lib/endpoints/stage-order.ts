import * as v from "valibot";
import { type Endpoint, type EndpointCall, endpoint, type HandlerContext } from "../api/endpoint.ts";
import { getRecord, requireRecord } from "../api/require-record.ts";
import { updateWrite } from "../api/update-write.ts";
import { type ValidationIssue, validationError } from "../model/errors.ts";
import { toJsonObject } from "../model/model.ts";
import { pipeline, type Stage, sortStages, stage } from "../model/pipeline.ts";
import { describe, jsonSchema, listOf, uuid } from "../model/scalars.ts";
import { archivableSchema } from "../model/schemas.ts";
import { setUpTag } from "./set-up-pipelines.ts";

const maxStages = 1_000;

/** The endpoint that reorders the stages of a pipeline. */
export const stageOrder: Endpoint = endpoint({
  name: "adminReorderStages",
  method: "POST",
  path: "/admin/pipelines/:id/reorder-stages",
  summary: "Reorder the stages of a pipeline",
  description:
    "Gives the stages this order, in one commit, and returns them in it. The body has the ID of each stage of the pipeline " +
    "once, without archived stages. A stage whose `order` stays doesn't change.",
  tag: setUpTag,
  access: "admin",
  hasDryRun: true,
  body: v.strictObject({
    stageIds: describe(
      listOf(uuid, maxStages, "must be a list of IDs"),
      "IDs of all stages of the pipeline, in order.",
    ),
  }),
  success: {
    status: 200,
    data: v.pipe(archivableSchema(stage), jsonSchema({ title: "AdminStage" })),
    collection: "list",
  },
  errors: ["validation_error"],
  example: {
    params: { id: "01943adc-481b-7aa6-b5fa-a9e5751697ad" },
    body: {
      stageIds: [
        "01943add-27dc-7053-9ebc-bd3e9108ffed",
        "01943ade-5f5e-7e81-bcef-6c282b4557f3",
        "01943add-d119-7363-80a4-19765feca9a0",
        "01943ade-ed2c-77dc-b3c3-d88de87d2768",
      ],
    },
  },
  async handle(call, context) {
    const { id } = await requireRecord(pipeline, call, context);
    const stages = await listStages(id, call, context);
    const { stageIds } = call.body;
    const issues = orderIssues(stageIds, stages);
    if (issues.length > 0) throw validationError(issues);
    const ordered = withOrders(stageIds.flatMap((each) => stages.find((stage) => stage.id === each) ?? []));
    return (at) => {
      const changes = ordered.map(({ before, order }) => ({
        before,
        after: order === before.order ? before : { ...before, order, updatedAt: at },
      }));
      return {
        status: 200,
        body: { data: changes.map(({ after }) => toJsonObject(stage, after)) },
        writes: changes.flatMap(({ before, after }) =>
          after === before ? [] : [updateWrite("stage", before, after, at)],
        ),
      };
    };
  },
  async findIssues(call, issues, context) {
    const found = await getRecord(pipeline, call, context);
    const { stageIds } = call.body as { readonly stageIds?: readonly (string | null)[] };
    if (found === undefined || found.archivedAt !== null || stageIds === undefined) return issues;
    return [...issues, ...orderIssues(stageIds, await listStages(found.id, call, context))];
  },
});

function listStages(pipelineId: string, { caller }: EndpointCall, { storage }: HandlerContext) {
  return storage.list(caller.tenantId, "stage", { where: { pipelineId } });
}

/**
 * Returns an error for each ID that is unknown or repeated, and for each stage that is missing. Invalid IDs are null.
 */
function orderIssues(stageIds: readonly (string | null)[], stages: readonly Stage[]): readonly ValidationIssue[] {
  const issues = stageIds.flatMap((id, index): ValidationIssue[] => {
    const path = `/stageIds/${index}`;
    const first = stageIds.indexOf(id);
    if (id === null) return [];
    if (!stages.some((each) => each.id === id)) {
      const message = "The pipeline has no stage with this ID, or it is archived.";
      return [{ kind: "invalid_reference", problem: { path, code: "not_found", message } }];
    }
    const message = `The stage is also stageIds.${first}. Send each stage once.`;
    return first === index ? [] : [{ kind: "rule", problem: { path, code: "not_an_option", message } }];
  });
  const missing = stages
    .filter(({ id }) => !stageIds.includes(id))
    .map(({ id, name }): ValidationIssue => {
      const message = `The stage "${name}" is missing. Add its ID, ${id}.`;
      return { kind: "rule", problem: { path: "/stageIds", code: "required", message } };
    });
  return [...issues, ...missing];
}

/** Returns the stages with their new orders. Changes as few as possible. */
function withOrders(stages: readonly Stage[]): readonly { readonly before: Stage; readonly order: number }[] {
  const former = sortStages(stages);
  const isUnchanged = stages.every((stage, index) => stage === former[index]);
  const isDistinct = new Set(former.map(({ order }) => order)).size === former.length;
  return stages.map((before, index) => {
    if (isUnchanged) return { before, order: before.order };
    return { before, order: isDistinct ? (former[index]?.order ?? 0) : index + 1 };
  });
}
