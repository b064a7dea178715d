import * as v from "valibot";
import { filledText, numberBetween, uuid, wholeNumber } from "../input/scalars.ts";
import { model, type RecordOf } from "./model.ts";

const truth = v.boolean("must be true or false");

export const pipeline = model("pipeline", "pipelines", {
  name: { schema: filledText(255), required: true },
  isDefault: { schema: truth, column: "boolean", default: false },
  lostReasons: { schema: v.array(filledText(255)), column: "json", default: [] },
  requireLostReason: { schema: truth, column: "boolean", default: false },
});

export const stage = model("stage", "stages", {
  pipelineId: { schema: uuid, required: true, reference: "pipeline" },
  name: { schema: filledText(255), required: true },
  order: { schema: wholeNumber(0), column: "integer", required: true },
  /** The chance of winning in this stage, in percent. */
  probability: { schema: v.nullable(numberBetween(0, 100)), column: "real" },
});

export type Pipeline = RecordOf<typeof pipeline>;
export type Stage = RecordOf<typeof stage>;
