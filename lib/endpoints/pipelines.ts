import { endpoint } from "../endpoint.ts";
import { present, type Stamps } from "../records/model.ts";
import { pipeline, type Stage, stage } from "../records/pipeline.ts";
import { findRecord } from "../resource.ts";
import { inOrder } from "../rules/sale.ts";

/** Pipelines with their stages: a plain list, all in one answer, and single ones. They are read only here. */
export const pipelines = [
  endpoint({
    name: "listPipelines",
    method: "GET",
    path: "/pipelines",
    summary: "List pipelines with their stages",
    scope: "pipelines:read",
    async handle({ caller }, { storage }) {
      const found = await storage.list(caller.tenantId, "pipeline", {});
      const stages = await storage.list(caller.tenantId, "stage", {});
      return { status: 200, body: { data: found.map((record) => withStages(record, stages)) } };
    },
  }),
  endpoint({
    name: "getPipeline",
    method: "GET",
    path: "/pipelines/:id",
    summary: "Read a pipeline with its stages",
    scope: "pipelines:read",
    async handle(call, context) {
      const found = await findRecord(pipeline, call, context);
      const stages = await context.storage.list(call.caller.tenantId, "stage", { where: { pipelineId: found.id } });
      return { status: 200, body: { data: withStages(found, stages) } };
    },
  }),
];

function withStages(record: Stamps, all: readonly Stage[]): Record<string, unknown> {
  const own = inOrder(all.filter(({ pipelineId }) => pipelineId === record.id));
  const stages = own.map((each) => {
    const { pipelineId: _, createdAt: _c, updatedAt: _u, ...shown } = present(stage, each);
    return shown;
  });
  const { createdAt, updatedAt, ...fields } = present(pipeline, record);
  return { ...fields, stages, createdAt, updatedAt };
}
