import * as v from "valibot";
import type { Endpoint, EndpointCall, Tag } from "../api/endpoint.ts";
import { setUpResource } from "../api/resource.ts";
import { updateWrite } from "../api/update-write.ts";
import { type ValidationIssue, validationError } from "../model/errors.ts";
import type { FieldValues } from "../model/model.ts";
import { normalizeName } from "../model/normalize.ts";
import { type Pipeline, pipeline, stage } from "../model/pipeline.ts";
import { describe, jsonSchema, listOf, refine, uuid } from "../model/scalars.ts";
import { assertNotLastStage, assertStaysDefault, assertUnused } from "./set-up-conflicts.ts";

export const setUpTag: Tag = {
  name: "Set-up",
  description:
    "For admins, with a token of the tenant's sign-in service as `Authorization: Bearer`. These paths are below " +
    "`/integrations/admin`, without `/v1`. Changes of one tenant's set-up run one after another.",
};

const pipelineEndpoints = setUpResource(
  {
    model: pipeline,
    async assertChange(after, before, tenantId, context) {
      if (after !== undefined) assertStaysDefault(after, before);
      else if (before !== undefined) await assertUnused("pipeline", before.id, tenantId, context);
    },
    filters: {},
    example: {
      id: "01943ad8-5a8f-7852-b1ee-2113adc6ff6b",
      create: { name: "Service contracts", stages: [{ name: "Offer", probability: 40 }, { name: "Signature" }] },
      update: { lostReasons: ["Price", "No answer"] },
    },
  },
  setUpTag,
  { create: ["validation_error"], update: ["conflict"], archive: ["conflict"], restore: [] },
);

const stageEndpoints = setUpResource(
  {
    model: stage,
    async assertChange(after, before, tenantId, context) {
      if (after !== undefined || before === undefined) return;
      await assertUnused("stage", before.id, tenantId, context);
      await assertNotLastStage(before, tenantId, context);
    },
    filters: { pipelineId: uuid },
    example: {
      id: "01943ade-ed2c-77dc-b3c3-d88de87d2768",
      create: { pipelineId: "01943ad8-5a8f-7852-b1ee-2113adc6ff6b", name: "Legal review", order: 9 },
      update: { probability: 15 },
    },
  },
  setUpTag,
  { create: ["duplicate"], update: ["conflict", "duplicate"], archive: ["conflict"], restore: [] },
);

const { pipelineId: _, order, ...stageFields } = stage.fields;
const newStage = v.pipe(
  v.strictObject({
    name: describe(stageFields.name.schema, "Display name."),
    order: v.optional(describe(order.schema, "Position. Defaults to the place in the list, from 1.")),
    probability: v.optional(describe(stageFields.probability.schema, "Probability of winning, in percent.")),
  }),
  jsonSchema({
    description: "A stage of a new pipeline. `order` defaults to its place in the list, from 1.",
  }),
);
type NewStage = v.InferOutput<typeof newStage>;

const maxNewStages = 100;

/** Adds `stages` to the body that creates a pipeline, so that opportunities can use it at once. */
function withNewStages(create: Endpoint): Endpoint {
  const single = create.body as unknown as v.StrictObjectSchema<v.ObjectEntries, undefined>;
  const some = refine<NewStage[]>("required", ({ length }) => length > 0, "must have at least one stage");
  const list = v.pipe(listOf(newStage, maxNewStages, "must be a list of stages"), jsonSchema({ minItems: 1 }), some);
  const stages = describe(list, "The stages.");
  const split = (call: EndpointCall) => {
    const { stages, ...body } = call.body as FieldValues & { stages?: readonly NewStage[] };
    return { stages: stages ?? [], call: { ...call, body } };
  };
  return {
    ...create,
    body: v.pipe(
      v.strictObject({ ...single.entries, stages }),
      jsonSchema({ title: "PipelineCreate", description: "Fields of a new pipeline, and its stages in order." }),
    ),
    async handle(received, context) {
      const { stages, call } = split(received);
      assertDifferentNames(stages);
      const result = await create.handle(call as never, context);
      if (typeof result !== "function") return result;
      const ids = stages.map(() => context.newId());
      return (at, now) => {
        const response = result(at, now);
        const pipelineId = String(response.writes.find(({ kind }) => kind === "pipeline")?.record.id);
        const inserts = stages.map(({ name, order, probability = null }, index) => {
          const times = { createdAt: now, updatedAt: at, archivedAt: null };
          const record = { id: String(ids[index]), pipelineId, name, order: order ?? index + 1, probability, ...times };
          return { op: "insert" as const, kind: "stage" as const, record };
        });
        return { ...response, writes: [...response.writes, ...inserts] };
      };
    },
    findIssues: async (call, issues, context) =>
      (await create.findIssues?.(split(call).call, issues, context)) ?? issues,
  };
}

/** @throws ApiError `422 validation_error` with each stage that has the name of an earlier one */
function assertDifferentNames(stages: readonly NewStage[]): void {
  const names = stages.map(({ name }) => normalizeName(name));
  const issues = stages.flatMap(({ name }, index): ValidationIssue[] => {
    const first = names.indexOf(normalizeName(name));
    const message = `The name is that of stages.${first}. Stages of a pipeline need different names.`;
    const problem = { path: `/stages/${index}/name`, code: "not_an_option" as const, message };
    return first === index ? [] : [{ kind: "rule", problem }];
  });
  if (issues.length > 0) throw validationError(issues);
}

/** Ends the default of the other pipelines when a pipeline becomes the default. */
function withOneDefault(single: Endpoint): Endpoint {
  const handle: Endpoint["handle"] = async (call, context) => {
    const result = await single.handle(call, context);
    if (typeof result !== "function") return result;
    const pipelines = await context.storage.list((call as EndpointCall).caller.tenantId, "pipeline", {});
    return (at, now) => {
      const { writes, ...response } = result(at, now);
      const written = writes.find(({ kind }) => kind === "pipeline")?.record as Pipeline;
      const isDefault = written.isDefault && written.archivedAt === null;
      const others = pipelines.filter((each) => isDefault && each.isDefault && each.id !== written.id);
      const ends = others.map((other) =>
        updateWrite("pipeline", other, { ...other, isDefault: false } as Pipeline, at),
      );
      return { ...response, writes: [...ends, ...writes] };
    };
  };
  return { ...single, handle };
}

/** The endpoints of pipelines and stages, for admins. */
export const setUpPipelines: readonly Endpoint[] = [
  ...pipelineEndpoints
    .map((each) => (each.name === "adminCreatePipeline" ? withNewStages(each) : each))
    .map((each) => (each.method === "GET" ? each : withOneDefault(each))),
  ...stageEndpoints,
];
