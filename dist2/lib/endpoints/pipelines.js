import * as v from "valibot";
import { endpoint } from "../endpoint.js";
import { means, said } from "../input/scalars.js";
import { present } from "../records/model.js";
import { pipeline, stage } from "../records/pipeline.js";
import { recordSchema, shownFields } from "../records/schemas.js";
import { findRecord } from "../resource.js";
import { inOrder } from "../rules/stage-order.js";
const tag = {
    name: "Pipelines",
    description: "The ways that a sale can go, each with its stages. They are read only here.",
};
const stages = v.pipe(v.strictObject(shownFields(stage, "id", "name", "order", "probability")), means({ title: "Stage", description: "A step of a pipeline." }));
const data = recordSchema(pipeline, {
    stages: said(v.array(stages), "In their order. An opportunity begins in the first."),
});
/** Pipelines with their stages: a plain list, all in one answer, and single ones. They are read only here. */
export const pipelines = [
    endpoint({
        name: "listPipelines",
        method: "GET",
        path: "/pipelines",
        summary: "List pipelines with their stages",
        description: "All of them in one answer, without pages, in the order in which they were last changed.",
        tag,
        scope: "pipelines:read",
        success: { status: 200, data, many: "list" },
        example: {},
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
        description: "The ids of its stages are what an opportunity's stageId takes.",
        tag,
        scope: "pipelines:read",
        success: { status: 200, data },
        example: { params: { id: "01943ad8-5a8f-7852-b1ee-2113adc6ff6b" } },
        async handle(call, context) {
            const found = await findRecord(pipeline, call, context);
            const stages = await context.storage.list(call.caller.tenantId, "stage", { where: { pipelineId: found.id } });
            return { status: 200, body: { data: withStages(found, stages) } };
        },
    }),
];
function withStages(record, all) {
    const own = inOrder(all.filter(({ pipelineId }) => pipelineId === record.id));
    const stages = own.map((each) => {
        const { pipelineId: _, createdAt: _c, updatedAt: _u, ...shown } = present(stage, each);
        return shown;
    });
    const { createdAt, updatedAt, ...fields } = present(pipeline, record);
    return { ...fields, stages, createdAt, updatedAt };
}
