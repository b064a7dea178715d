import type { Finding, Problem } from "../errors.ts";
import type { Pipeline, Stage } from "../records/pipeline.ts";
import { stateConflict, type Values } from "./change.ts";

/** The pipeline of an opportunity that names none: the default one, or the oldest where none is. */
export function firstPipeline(pipelines: readonly Pipeline[]): Pipeline | undefined {
  const oldestFirst = pipelines.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  return oldestFirst.find(({ isDefault }) => isDefault) ?? oldestFirst[0];
}

/** The stage that a new opportunity begins in. */
export function firstStage(stages: readonly Stage[]): Stage | undefined {
  return inOrder(stages)[0];
}

/** Stages as they follow each other; those that share a place by their ids. */
export function inOrder(stages: readonly Stage[]): readonly Stage[] {
  return stages.toSorted((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1));
}

/** @throws ApiError `409 conflict` where a closed opportunity would change its stage */
export function assertStageMove(after: Values, before: Values | undefined): void {
  if (before === undefined || before.status === "open" || before.stageId === after.stageId) return;
  const message = `This opportunity is ${String(before.status)} and keeps its stage; set its status to open first.`;
  throw stateConflict(message, "closed", [String(before.stageId)]);
}

/** The stage and pipeline that an opportunity names, where they exist. */
export type Place = {
  readonly stage: Stage | undefined;
  readonly pipeline: Pipeline | undefined;
  /** The pipeline was not named: it follows from the stage. */
  readonly derived: boolean;
};

/** What is wrong with where the opportunity is to be, or with how it is lost. That an id names nothing is told elsewhere. */
export function checkSale(after: Values, before: Values | undefined, { stage, pipeline, derived }: Place): Finding[] {
  if (after.stageId === null && pipeline !== undefined) return [noStage];
  if (stage === undefined || pipeline === undefined) return [];
  if (stage.pipelineId !== pipeline.id) return [strangeStage];
  if (derived && pipeline.archivedAt !== null) return [goneStage];
  const asked = before === undefined || before.status !== after.status || before.lostReason !== after.lostReason;
  return asked ? checkLostReason(pipeline, after) : [];
}

const strangeStage = stageFinding(
  "not_in_pipeline",
  "stageId must be a stage of the opportunity's pipeline (GET /pipelines lists them); send both to move it.",
);
const goneStage = stageFinding("not_found", "stageId names no stage of this tenant.");
const noStage = stageFinding(
  "required",
  "The pipeline has no stage to begin in; send the stageId of another pipeline.",
);

function stageFinding(code: Problem["code"], message: string): Finding {
  const kind = code === "required" ? "rule" : "invalid_reference";
  return { kind, problem: { path: "/stageId", code, message } };
}

/** What is wrong with the reason: lost ones need one where the pipeline says so, from its list where it has one. */
function checkLostReason(pipeline: Pipeline, after: Values): Finding[] {
  const { lostReason, status } = after;
  if (status !== "lost") {
    return lostReason === null ? [] : [at("not_an_option", "lostReason must be null unless the status is lost.")];
  }
  if (lostReason === null) {
    if (!pipeline.requireLostReason) return [];
    const hint = pipeline.lostReasons.length > 0 ? ` One of: ${pipeline.lostReasons.join(", ")}.` : "";
    return [at("required_at_status", `lostReason is required when the status is lost.${hint}`, pipeline.lostReasons)];
  }
  if (pipeline.lostReasons.length === 0 || pipeline.lostReasons.includes(String(lostReason))) return [];
  return [at("not_an_option", `lostReason must be one of: ${pipeline.lostReasons.join(", ")}.`, pipeline.lostReasons)];
}

function at(code: Problem["code"], message: string, allowed: readonly string[] = []): Finding {
  const problem = { path: "/lostReason", code, message };
  return { kind: "rule", problem: allowed.length === 0 ? problem : { ...problem, allowed } };
}
