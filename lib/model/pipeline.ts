import * as v from "valibot";
import { model, type RecordOf } from "./model.ts";
import { integer, nonEmptyText, numberBetween, uuid } from "./scalars.ts";

const truth = v.boolean("must be true or false");

const pipelineFields = {
  name: { schema: nonEmptyText(255), required: true },
  isDefault: { schema: truth, column: "boolean", default: false },
  lostReasons: { schema: v.array(nonEmptyText(255)), column: "json", default: [] },
  requireLostReason: { schema: truth, column: "boolean", default: false },
} as const;

export const pipeline = model("pipeline", "pipelines", pipelineFields, "A way that a sale can go, with its stages.", {
  name: "What people call it.",
  isDefault: "Where an opportunity starts that names neither a pipeline nor a stage.",
  lostReasons: "The reasons that may be given for a lost opportunity. Any text where the list is empty.",
  requireLostReason: "Whether an opportunity can only be lost with a reason.",
});

const stageFields = {
  pipelineId: { schema: uuid, required: true, reference: "pipeline" },
  name: { schema: nonEmptyText(255), required: true },
  order: { schema: integer(0), column: "integer", required: true },
  probability: { schema: v.nullable(numberBetween(0, 100)), column: "real" },
} as const;

export const stage = model("stage", "stages", stageFields, "A step of a pipeline.", {
  pipelineId: "The pipeline that it belongs to.",
  name: "What people call it.",
  order: "Stages stand in this order, the smallest number first.",
  probability: "The chance of winning in this stage, in percent, 0 to 100. Null: not said.",
});

export type Pipeline = RecordOf<typeof pipeline>;
export type Stage = RecordOf<typeof stage>;
