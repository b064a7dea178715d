import * as v from "valibot";
import { model, type RecordOf } from "./model.ts";
import { normalizeName } from "./normalize.ts";
import { integer, nonEmptyText, numberBetween, uuid } from "./scalars.ts";

const trueOrFalse = v.boolean("must be true or false");

const pipelineFields = {
  name: { schema: nonEmptyText(255), required: true },
  isDefault: { schema: trueOrFalse, column: "boolean", default: false },
  lostReasons: { schema: v.array(nonEmptyText(255)), column: "json", default: [] },
  requireLostReason: { schema: trueOrFalse, column: "boolean", default: false },
} as const;

export const pipeline = model("pipeline", "pipelines", pipelineFields, "A sales pipeline and its stages.", {
  name: "Display name.",
  isDefault: "Whether new opportunities use this pipeline by default.",
  lostReasons: "Allowed values of `lostReason`. If empty, any text is allowed.",
  requireLostReason: "Whether a lost opportunity needs a `lostReason`.",
});

const stageFields = {
  pipelineId: { schema: uuid, required: true, reference: "pipeline", readOnly: "update" },
  name: { schema: nonEmptyText(255), required: true, unique: normalizeName, uniqueWithin: "pipelineId" },
  order: { schema: integer(0), column: "integer", required: true },
  probability: { schema: v.nullable(numberBetween(0, 100)), column: "real" },
} as const;

export const stage = model("stage", "stages", stageFields, "A stage of a pipeline.", {
  pipelineId: "ID of the pipeline.",
  name: "Display name. Unique in the pipeline; case and spaces are compared as in account names.",
  order: "Position in the pipeline, in ascending order.",
  probability: "Probability of winning in this stage, in percent, 0 to 100.",
});

export type Pipeline = RecordOf<typeof pipeline>;
export type Stage = RecordOf<typeof stage>;

/** Returns the default pipeline, or the oldest one if none is the default. */
export function defaultPipeline(pipelines: readonly Pipeline[]): Pipeline | undefined {
  const oldestFirst = pipelines.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  return oldestFirst.find(({ isDefault }) => isDefault) ?? oldestFirst[0];
}

/** Sorts stages by their order, and by their ID if the order is equal. */
export function sortStages(stages: readonly Stage[]): readonly Stage[] {
  return stages.toSorted((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1));
}
