import type { ApiError, Finding, Problem } from "../errors.ts";
import type { Pipeline, Stage } from "../records/pipeline.ts";
import { stateConflict, type Values } from "./record-diff.ts";

/** The `409 conflict` of a closed opportunity that would change its stage. */
export function stageMoveConflict(after: Values, before: Values | undefined): ApiError | undefined {
  if (before === undefined || before.status === "open" || before.stageId === after.stageId) return undefined;
  const message = `This opportunity is ${String(before.status)} and keeps its stage; set its status to open first.`;
  return stateConflict(message, "closed", [String(before.stageId)]);
}

/** Stage and pipeline, where they exist; a pipeline that was not named is derived from the stage. */
type Place = { stage: Stage | undefined; pipeline: Pipeline | undefined; derived: boolean };

/** What is wrong with where the opportunity is to be, or with how it is lost. That an id names nothing is told elsewhere. */
export function checkSale(after: Values, before: Values | undefined, place: Place): Finding[] {
  const asked = before === undefined || before.status !== after.status || before.lostReason !== after.lostReason;
  return [...checkPlace(after, place), ...(asked ? checkLostReason(place.pipeline, after) : [])];
}

function checkPlace(after: Values, { stage, pipeline, derived }: Place): Finding[] {
  if (after.stageId === null && pipeline !== undefined) return [noStage];
  if (stage === undefined || pipeline === undefined) return [];
  if (stage.pipelineId !== pipeline.id) return [strangeStage];
  return derived && pipeline.archivedAt !== null ? [goneStage] : [];
}

const strange =
  "stageId must be a stage of the opportunity's pipeline (GET /pipelines lists them); send both to move it.";
const strangeStage = wrong("stageId", "not_in_pipeline", strange);
const goneStage = wrong("stageId", "not_found", "stageId names no stage of this tenant.");
const noStage = wrong("stageId", "required", "The pipeline has no stage to begin in; send the stageId of another one.");

/** Lost ones need a reason where the pipeline says so, from its list where it has one. */
function checkLostReason(pipeline: Pipeline | undefined, { lostReason, status }: Values): Finding[] {
  if (status !== "lost" && lostReason === null) return [];
  if (status !== "lost")
    return [wrong("lostReason", "not_an_option", "lostReason must be null unless the status is lost.")];
  if (pipeline === undefined) return [];
  const { lostReasons, requireLostReason } = pipeline;
  const list = lostReasons.join(", ");
  if (lostReason !== null) {
    if (lostReasons.length === 0 || lostReasons.includes(String(lostReason))) return [];
    return [wrong("lostReason", "not_an_option", `lostReason must be one of: ${list}.`, lostReasons)];
  }
  if (!requireLostReason) return [];
  const message = `lostReason is required when the status is lost.${list === "" ? "" : ` One of: ${list}.`}`;
  return [wrong("lostReason", "required_at_status", message, lostReasons)];
}

function wrong(name: string, code: Problem["code"], message: string, allowed: readonly string[] = []): Finding {
  const kind = code === "not_in_pipeline" || code === "not_found" ? "invalid_reference" : "rule";
  return { kind, problem: { path: `/${name}`, code, message, ...(allowed.length > 0 ? { allowed } : {}) } };
}
