import * as v from "valibot";
import { endpoint, type HandlerContext } from "../api/endpoint.ts";
import { requireRecord } from "../api/require-record.ts";
import { type BaseRecord, toJsonObject } from "../model/model.ts";
import { pipeline, type Stage, sortStages, stage } from "../model/pipeline.ts";
import { describe, jsonSchema, nonEmptyText } from "../model/scalars.ts";
import { recordSchema, visibleFieldSchemas } from "../model/schemas.ts";
import type { Rule } from "../model/tenant.ts";

const tag = {
  name: "Pipelines",
  description: "Sales pipelines and their stages. The API can read them, but not change them.",
};
const stages = v.pipe(
  v.strictObject({
    ...visibleFieldSchemas(stage, "id", "name", "order", "probability"),
    requiredFields: describe(
      v.array(nonEmptyText(100)),
      "Fields that an opportunity needs in this stage, such as `amount` or `customFields.budget`.",
    ),
  }),
  jsonSchema({ title: "Stage", description: "A stage of a pipeline." }),
);
const data = recordSchema(pipeline, {
  stages: describe(v.array(stages), "Stages in their order. A new opportunity gets the first one by default."),
});

/** The endpoints of pipelines. */
export const pipelines = [
  endpoint({
    name: "listPipelines",
    method: "GET",
    path: "/pipelines",
    summary: "List pipelines",
    description: "Returns all pipelines with their stages, sorted by `updatedAt`.",
    tag,
    scope: "pipelines:read",
    success: { status: 200, data, collection: "list" },
    example: {},
    async handle({ caller }, { storage }) {
      const [found, stages, rules] = await Promise.all([
        storage.list(caller.tenantId, "pipeline", {}),
        storage.list(caller.tenantId, "stage", {}),
        listStageRules(caller.tenantId, storage),
      ]);
      return { status: 200, body: { data: found.map((record) => withStages(record, stages, rules)) } };
    },
  }),
  endpoint({
    name: "getPipeline",
    method: "GET",
    path: "/pipelines/:id",
    summary: "Retrieve a pipeline",
    description: "Returns the pipeline with its stages.",
    tag,
    scope: "pipelines:read",
    success: { status: 200, data },
    example: { params: { id: "01943ad8-5a8f-7852-b1ee-2113adc6ff6b" } },
    async handle(call, context) {
      const found = await requireRecord(pipeline, call, context);
      const [stages, rules] = await Promise.all([
        context.storage.list(call.caller.tenantId, "stage", { where: { pipelineId: found.id } }),
        listStageRules(call.caller.tenantId, context.storage),
      ]);
      return { status: 200, body: { data: withStages(found, stages, rules) } };
    },
  }),
];

/** Returns the rules that apply to open opportunities in some stages. */
async function listStageRules(tenantId: string, storage: HandlerContext["storage"]): Promise<readonly Rule[]> {
  const rules = await storage.list(tenantId, "rule", { where: { entity: "opportunity" } });
  return rules.filter(({ when }) => when?.stageIds && (when.statuses === undefined || when.statuses.includes("open")));
}

function withStages(record: BaseRecord, all: readonly Stage[], rules: readonly Rule[]): Record<string, unknown> {
  const sorted = sortStages(all.filter(({ pipelineId }) => pipelineId === record.id));
  const stages = sorted.map((each) => {
    const { pipelineId: _, createdAt: _c, updatedAt: _u, ...fields } = toJsonObject(stage, each);
    const required = rules.filter(({ when }) => when?.stageIds?.includes(each.id)).map(({ field }) => field);
    return { ...fields, requiredFields: [...new Set(required)].sort() };
  });
  const { createdAt, updatedAt, ...fields } = toJsonObject(pipeline, record);
  return { ...fields, stages, createdAt, updatedAt };
}
