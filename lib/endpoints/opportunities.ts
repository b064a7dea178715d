import * as v from "valibot";
import type { Context } from "../api/endpoint.ts";
import { resource } from "../api/resource.ts";
import { checkOpportunity, checkStageChange } from "../api/rules/opportunity-stage.ts";
import { defaultPipeline, sortStages } from "../api/rules/pipelines.ts";
import { stateConflict } from "../api/rules/record-diff.ts";
import { checkStatusChange, closedAt } from "../api/rules/status.ts";
import type { ApiError } from "../model/errors.ts";
import type { FieldValues } from "../model/model.ts";
import { type Opportunity, opportunity, opportunityStatuses } from "../model/opportunity.ts";
import type { Pipeline, Stage } from "../model/pipeline.ts";
import { describe, nonEmptyText, uuid } from "../model/scalars.ts";

/** The endpoints of opportunities. An opportunity is open, won or lost, and has a stage of a pipeline. */
export const opportunities = resource({
  model: opportunity,
  filters: {
    status: v.picklist(opportunityStatuses),
    pipelineId: uuid,
    stageId: uuid,
    accountId: uuid,
    contactId: describe(uuid, "Only opportunities with this contact."),
    ownerId: uuid,
    externalId: nonEmptyText(255),
  },
  createErrors: ["conflict"],
  example: {
    id: "01975941-5b14-79c5-908e-192af1bc2574",
    create: {
      name: "Two grinders for the roastery",
      amount: 3800,
      currency: "EUR",
      externalId: "SO-30412",
    },
    update: { stageId: "01943ada-06a8-74f0-8f09-6da8465488a9", amount: 4200, currency: "EUR" },
  },
  loadRelated: loadStageChoices,
  deriveFields(after, before, sent, choices) {
    const isReopened = before !== undefined && before.status !== "open" && after.status === "open";
    const contactIds = [...new Set(after.contactIds as string[])];
    const lostReason = isReopened && after.lostReason === before.lostReason ? null : after.lostReason;
    return { ...after, contactIds, lostReason, ...resolveStage(after, before, sent, choices) };
  },
  check(after, before, sent, choices) {
    const pipeline = choices.pipelines.find(({ id }) => id === after.pipelineId);
    const derived = sent.pipelineId === undefined && before?.pipelineId !== after.pipelineId;
    return checkOpportunity(after, before, { stage: stageOf(after, choices), pipeline, derived });
  },
  stageName: (after, choices) => stageOf(after, choices)?.name,
  transitionFields: ["status", "lostReason", "pipelineId", "stageId"],
  checkTransition(after, before) {
    if (after.pipelineId === null) return noPipelineError();
    const known = before as unknown as Opportunity | undefined;
    return checkStatusChange("opportunity", "open", known, String(after.status)) ?? checkStageChange(after, before);
  },
  stampFields(after, before, at) {
    const closed = closedAt("open", before as unknown as Opportunity | undefined, String(after.status), at);
    return { closedAt: closed, stageChangedAt: before?.stageId === after.stageId ? before?.stageChangedAt : at };
  },
});

/** The stages and pipelines that an opportunity can have after a write. */
type StageChoices = { readonly stages: readonly Stage[]; readonly pipelines: readonly Pipeline[] };

/** Reads the stage and the pipeline of the request. If one is omitted, reads all candidates for it. */
async function loadStageChoices(
  sent: FieldValues,
  before: FieldValues | undefined,
  tenantId: string,
  storage: Context["storage"],
): Promise<StageChoices> {
  const stageId = sent.stageId ?? before?.stageId;
  const pipelineId = sent.pipelineId ?? (sent.stageId === undefined ? before?.pipelineId : undefined);
  const within = pipelineId === undefined ? {} : { where: { pipelineId: String(pipelineId) } };
  const [stages, pipelines] = await Promise.all([
    stageId === undefined ? storage.list(tenantId, "stage", within) : one(storage.get(tenantId, "stage", `${stageId}`)),
    pipelineId === undefined
      ? storage.list(tenantId, "pipeline", { includeArchived: true })
      : one(storage.get(tenantId, "pipeline", `${pipelineId}`)),
  ]);
  return { stages, pipelines };
}

async function one<T>(read: Promise<T | undefined>): Promise<readonly T[]> {
  const found = await read;
  return found === undefined ? [] : [found];
}

function stageOf({ stageId }: FieldValues, { stages }: StageChoices): Stage | undefined {
  return stages.find(({ id }) => id === stageId);
}

/** Derives the pipeline from the stage. Without a stage, a new opportunity gets the first stage of the pipeline. */
function resolveStage(
  after: FieldValues,
  before: FieldValues | undefined,
  sent: FieldValues,
  choices: StageChoices,
): FieldValues {
  if (sent.stageId !== undefined) {
    const stage = sent.pipelineId === undefined ? stageOf(sent, choices) : undefined;
    return stage === undefined ? {} : { pipelineId: stage.pipelineId };
  }
  if (before !== undefined) return {};
  const pipelineId = after.pipelineId ?? defaultPipeline(choices.pipelines.filter(isActive))?.id;
  if (pipelineId === undefined) return { pipelineId: null };
  const stages = choices.stages.filter((stage) => stage.pipelineId === pipelineId);
  return { pipelineId, stageId: sortStages(stages)[0]?.id ?? null };
}

function noPipelineError(): ApiError {
  return stateConflict("The tenant has no pipelines.", "no_pipeline", []);
}

function isActive({ archivedAt }: Pipeline): boolean {
  return archivedAt === null;
}
