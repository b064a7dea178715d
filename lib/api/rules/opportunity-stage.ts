import { describeCurrencyProblem, isCurrency } from "../../model/currency.ts";
import type { ApiError, FieldError, ValidationIssue } from "../../model/errors.ts";
import type { FieldValues } from "../../model/model.ts";
import { normalizeCase } from "../../model/normalize.ts";
import type { Pipeline, Stage } from "../../model/pipeline.ts";
import { quote } from "../../model/suggest.ts";
import { shapeIssue, stateConflict } from "./record-diff.ts";

/** Returns `409 conflict` if the stage of an opportunity that stays closed would change. */
export function checkStageChange(after: FieldValues, before: FieldValues | undefined): ApiError | undefined {
  if (before === undefined || before.status === "open" || after.status === "open") return undefined;
  if (before.stageId === after.stageId) return undefined;
  const message = `The stage of a ${String(before.status)} opportunity can't change. To move it, also set its status to open.`;
  return stateConflict(message, "closed", [String(before.stageId)]);
}

/** The stage and the pipeline of an opportunity, and other stages if one of them is archived. */
type StageChoice = { stage: Stage | undefined; pipeline: Pipeline | undefined; alternatives: readonly Stage[] };

/** Checks the stage and the lost reason of an opportunity. IDs that don't exist are reported by `checkReferences`. */
export function checkStageAndLostReason(
  after: FieldValues,
  before: FieldValues | undefined,
  sent: FieldValues,
  choice: StageChoice,
): ValidationIssue[] {
  const isLostReasonChecked =
    before === undefined || before.status !== after.status || before.lostReason !== after.lostReason;
  return [
    ...checkStage(after, before, sent, choice),
    ...(isLostReasonChecked ? checkLostReason(choice.pipeline, after) : []),
  ];
}

function checkStage(
  after: FieldValues,
  before: FieldValues | undefined,
  sent: FieldValues,
  { stage, pipeline, alternatives }: StageChoice,
): ValidationIssue[] {
  if (after.stageId === null && pipeline !== undefined) return [noStage];
  if (stage === undefined || pipeline === undefined) return [];
  if (stage.pipelineId !== pipeline.id) return [wrongStage];
  const archived = [stage, pipeline].find(({ archivedAt }) => archivedAt !== null);
  // `checkReferences` reports the IDs that the record doesn't have yet.
  const isReported = ["stageId", "pipelineId"].some(
    (name) => sent[name] === archived?.id && sent[name] !== before?.[name],
  );
  if (archived === undefined || isReported || !entersPipeline(after, before)) return [];
  return [archivedStage(archived === stage ? "stage" : "pipeline", archived.name, alternatives)];
}

/** Returns whether the opportunity is new, changes its pipeline, or becomes open by being reopened or restored. */
function entersPipeline(after: FieldValues, before: FieldValues | undefined): boolean {
  if (before === undefined || before.pipelineId !== after.pipelineId) return true;
  return after.status === "open" && (before.status !== "open" || before.archivedAt !== null);
}

function archivedStage(kind: string, name: string, alternatives: readonly Stage[]): ValidationIssue {
  const names = alternatives.map((each) => each.name).join(", ");
  const remedy = alternatives.length === 0 ? "Create a stage first." : `Send the stageId of another stage: ${names}.`;
  const ids = alternatives.map(({ id }) => id);
  return issue("stageId", "not_found", `The ${kind} ${quote(name)} is archived. ${remedy}`, ids);
}

const wrongStageMessage =
  "stageId must be a stage of the pipeline in pipelineId (see GET /pipelines). Omit stageId for its first stage.";
const wrongStage = issue("stageId", "not_in_pipeline", wrongStageMessage);
const noStage = issue("stageId", "required", "The pipeline has no stages. Send a stageId of another pipeline.");

/** Checks the `closedAt` of a new opportunity. */
export function checkClosedAt({ closedAt, status }: FieldValues, now: number): ValidationIssue[] {
  if (typeof closedAt !== "number" || status === undefined) return [];
  if (status === "open")
    return [issue("closedAt", "not_an_option", "closedAt must be null unless the status is won or lost.")];
  if (closedAt <= now) return [];
  const message = "closedAt must not be in the future.";
  const limits = { notAfter: new Date(now).toISOString() };
  return [{ kind: "rule", problem: { path: "/closedAt", code: "out_of_range", message, limits } }];
}

/** Checks that a new currency is active. A stored historic one stays valid. */
export function checkCurrency({ currency }: FieldValues, before: FieldValues | undefined): ValidationIssue[] {
  if (typeof currency !== "string" || currency === before?.currency || isCurrency(currency)) return [];
  const message = `currency ${describeCurrencyProblem(currency)}.`;
  return [shapeIssue({ path: "/currency", code: "invalid_format", message })];
}

/** Returns the spelling of a lost reason in the list of the pipeline. Case is ignored. */
export function spellLostReason(lostReason: unknown, pipeline: Pipeline | undefined): unknown {
  if (typeof lostReason !== "string" || pipeline?.lostReasons.includes(lostReason)) return lostReason;
  const key = normalizeCase(lostReason);
  return pipeline?.lostReasons.find((reason) => normalizeCase(reason) === key) ?? lostReason;
}

/** Checks `lostReason` against the pipeline, which can require a value from its list. */
function checkLostReason(pipeline: Pipeline | undefined, { lostReason, status }: FieldValues): ValidationIssue[] {
  if (status === undefined || (status !== "lost" && lostReason === null)) return [];
  if (status !== "lost")
    return [issue("lostReason", "not_an_option", "lostReason must be null unless the status is lost.")];
  if (pipeline === undefined) return [];
  const { lostReasons, requireLostReason } = pipeline;
  const list = lostReasons.join(", ");
  if (lostReason !== null) {
    if (lostReasons.length === 0 || lostReasons.includes(String(lostReason))) return [];
    return [issue("lostReason", "not_an_option", `lostReason must be one of: ${list}.`, lostReasons)];
  }
  if (!requireLostReason) return [];
  const message = `lostReason is required if the status is lost.${list === "" ? "" : ` Allowed: ${list}.`}`;
  return [issue("lostReason", "required_at_status", message, lostReasons)];
}

function issue(
  name: string,
  code: FieldError["code"],
  message: string,
  allowed: readonly string[] = [],
): ValidationIssue {
  const kind = code === "not_in_pipeline" || code === "not_found" ? "invalid_reference" : "rule";
  return { kind, problem: { path: `/${name}`, code, message, ...(allowed.length > 0 ? { allowed } : {}) } };
}
