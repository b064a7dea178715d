import type { ApiError, FieldError, ValidationIssue } from "../../model/errors.ts";
import type { FieldValues } from "../../model/model.ts";
import type { Pipeline, Stage } from "../../model/pipeline.ts";
import { stateConflict } from "./record-diff.ts";

/** The `409 conflict` of a closed opportunity that would change its stage. */
export function checkStageChange(after: FieldValues, before: FieldValues | undefined): ApiError | undefined {
  if (before === undefined || before.status === "open" || before.stageId === after.stageId) return undefined;
  const message = `This opportunity is ${String(before.status)} and keeps its stage; set its status to open first.`;
  return stateConflict(message, "closed", [String(before.stageId)]);
}

/** Stage and pipeline, where they exist; a pipeline that was not named is derived from the stage. */
type Place = { stage: Stage | undefined; pipeline: Pipeline | undefined; derived: boolean };

/** What is wrong with where the opportunity is to be, or with how it is lost. That an id names nothing is told elsewhere. */
export function checkOpportunity(after: FieldValues, before: FieldValues | undefined, place: Place): ValidationIssue[] {
  const asked = before === undefined || before.status !== after.status || before.lostReason !== after.lostReason;
  return [...checkPlace(after, place), ...(asked ? checkLostReason(place.pipeline, after) : [])];
}

function checkPlace(after: FieldValues, { stage, pipeline, derived }: Place): ValidationIssue[] {
  if (after.stageId === null && pipeline !== undefined) return [noStage];
  if (stage === undefined || pipeline === undefined) return [];
  if (stage.pipelineId !== pipeline.id) return [strangeStage];
  return derived && pipeline.archivedAt !== null ? [goneStage] : [];
}

const wrongStageMessage =
  "stageId must be a stage of the opportunity's pipeline (GET /pipelines lists them); send both to move it.";
const strangeStage = wrong("stageId", "not_in_pipeline", wrongStageMessage);
const goneStage = wrong("stageId", "not_found", "stageId names no stage of this tenant.");
const noStage = wrong("stageId", "required", "The pipeline has no stage to begin in; send the stageId of another one.");

/** Lost ones need a reason where the pipeline says so, from its list where it has one. */
function checkLostReason(pipeline: Pipeline | undefined, { lostReason, status }: FieldValues): ValidationIssue[] {
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

function wrong(
  name: string,
  code: FieldError["code"],
  message: string,
  allowed: readonly string[] = [],
): ValidationIssue {
  const kind = code === "not_in_pipeline" || code === "not_found" ? "invalid_reference" : "rule";
  return { kind, problem: { path: `/${name}`, code, message, ...(allowed.length > 0 ? { allowed } : {}) } };
}
