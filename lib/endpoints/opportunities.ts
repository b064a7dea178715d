import * as v from "valibot";
import type { Caller, HandlerContext } from "../api/endpoint.ts";
import { resource } from "../api/resource.ts";
import type { ResourceDefinition } from "../api/resource-definition.ts";
import { computeClosedAt } from "../api/rules/closed-at.ts";
import {
  checkClosedAt,
  checkCurrency,
  checkStageAndLostReason,
  checkStageChange,
  spellLostReason,
} from "../api/rules/opportunity-stage.ts";
import { stateConflict } from "../api/rules/record-diff.ts";
import type { ApiError } from "../model/errors.ts";
import type { FieldValues } from "../model/model.ts";
import { type Opportunity, opportunity, opportunityStatuses } from "../model/opportunity.ts";
import { defaultPipeline, type Pipeline, type Stage, sortStages } from "../model/pipeline.ts";
import { describe, nonEmptyText, uuid } from "../model/scalars.ts";
import { externalIdsFilter, idsFilter, wordsFilter } from "./filters.ts";

/** An opportunity is open, won or lost, and has a stage of a pipeline. */
export const opportunityDefinition: ResourceDefinition<StageChoices> = {
  model: opportunity,
  filters: {
    ids: idsFilter,
    q: wordsFilter,
    status: v.picklist(opportunityStatuses),
    pipelineId: uuid,
    stageId: uuid,
    accountId: uuid,
    contactId: describe(uuid, "Only opportunities with this contact."),
    ownerId: uuid,
    externalId: nonEmptyText(255),
    externalIds: externalIdsFilter,
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
    const leavesLost = before?.status === "lost" && after.status !== "lost";
    const contactIds = [...new Set(after.contactIds as string[])];
    const placed = { ...after, ...resolveStage(after, before, sent, choices) };
    const isSame = after.lostReason === before?.lostReason;
    const spelling = isSame ? after.lostReason : spellLostReason(after.lostReason, pipelineOf(placed, choices));
    return { ...placed, contactIds, lostReason: leavesLost && isSame ? null : spelling };
  },
  check(after, before, sent, choices, now) {
    const pipeline = pipelineOf(after, choices);
    const stage = stageOf(after, choices);
    return [
      ...checkStageAndLostReason(after, before, sent, { stage, pipeline, alternatives: choices.alternatives }),
      ...(before === undefined ? checkClosedAt(after, now) : []),
      ...checkCurrency(after, before),
    ];
  },
  stageName: (after, choices) => stageOf(after, choices)?.name,
  derivedFrom: { stageId: "pipelineId", pipelineId: "stageId" },
  transitionFields: ["status", "lostReason", "pipelineId", "stageId"],
  checkTransition(after, before) {
    if (after.pipelineId === null) return noPipelineError();
    return checkStageChange(after, before);
  },
  stampFields(after, before, now) {
    const sentClosedAt = before === undefined ? (after.closedAt as number | null) : null;
    const closed =
      sentClosedAt ?? computeClosedAt("open", before as unknown as Opportunity | undefined, String(after.status), now);
    return { closedAt: closed, stageChangedAt: before?.stageId === after.stageId ? before?.stageChangedAt : now };
  },
};

/** The endpoints of opportunities. */
export const opportunities = resource(opportunityDefinition);

/** The stages and pipelines that an opportunity can have after a write. */
type StageChoices = {
  readonly stages: readonly Stage[];
  readonly pipelines: readonly Pipeline[];
  /** The stages to choose from if the stage or its pipeline is archived. */
  readonly alternatives: readonly Stage[];
};

/**
 * Reads the stage and the pipeline after the write. If the request determines only one, reads all candidates for the
 * other.
 */
async function loadStageChoices(
  sent: FieldValues,
  before: FieldValues | undefined,
  { tenantId }: Caller,
  storage: HandlerContext["storage"],
): Promise<StageChoices> {
  const stageId = sent.stageId ?? (changesPipeline(sent, before) ? undefined : before?.stageId);
  const pipelineId = sent.pipelineId ?? (sent.stageId === undefined ? before?.pipelineId : undefined);
  const within = pipelineId === undefined ? {} : { where: { pipelineId: String(pipelineId) } };
  const [stages, pipelines] = await Promise.all([
    stageId === undefined
      ? storage.list(tenantId, "stage", within)
      : toList(storage.get(tenantId, "stage", `${stageId}`)),
    pipelineId === undefined
      ? storage.list(tenantId, "pipeline", { includeArchived: true })
      : toList(storage.get(tenantId, "pipeline", `${pipelineId}`)),
  ]);
  const stage = stageId === undefined ? undefined : stages[0];
  const pipeline = pipelines.find(({ id }) => id === (pipelineId ?? stage?.pipelineId));
  const isUsable = (stage === undefined || isActive(stage)) && (pipeline === undefined || isActive(pipeline));
  const alternatives = isUsable ? [] : await listAlternatives(pipeline?.id, tenantId, storage);
  return { stages, pipelines, alternatives };
}

/** Returns the stages of the pipeline in order. If it is archived or has none, returns those of all pipelines. */
async function listAlternatives(
  pipelineId: string | undefined,
  tenantId: string,
  storage: HandlerContext["storage"],
): Promise<readonly Stage[]> {
  const [stages, pipelines] = await Promise.all([
    storage.list(tenantId, "stage", {}),
    storage.list(tenantId, "pipeline", {}),
  ]);
  const usable = pipelines.flatMap(({ id }) => sortStages(stages.filter((stage) => stage.pipelineId === id)));
  const siblings = usable.filter((stage) => stage.pipelineId === pipelineId);
  return siblings.length > 0 ? siblings : usable;
}

async function toList<T>(read: Promise<T | undefined>): Promise<readonly T[]> {
  const found = await read;
  return found === undefined ? [] : [found];
}

function stageOf({ stageId }: FieldValues, { stages }: StageChoices): Stage | undefined {
  return stages.find(({ id }) => id === stageId);
}

/** Returns whether the request names a pipeline that the record isn't in yet. */
function changesPipeline(sent: FieldValues, before: FieldValues | undefined): boolean {
  return sent.pipelineId !== undefined && sent.pipelineId !== before?.pipelineId;
}

function pipelineOf({ pipelineId }: FieldValues, { pipelines }: StageChoices): Pipeline | undefined {
  return pipelines.find(({ id }) => id === pipelineId);
}

/** Derives the pipeline from the stage. Without a stage, a new pipeline puts the opportunity into its first stage. */
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
  if (before !== undefined && !changesPipeline(sent, before)) return {};
  const pipelineId = after.pipelineId ?? defaultPipeline(choices.pipelines.filter(isActive))?.id;
  if (pipelineId === undefined) return { pipelineId: null };
  const stages = choices.stages.filter((stage) => stage.pipelineId === pipelineId);
  return { pipelineId, stageId: sortStages(stages)[0]?.id ?? null };
}

function noPipelineError(): ApiError {
  return stateConflict("The tenant has no pipelines.", "no_pipeline", []);
}

function isActive({ archivedAt }: Pipeline | Stage): boolean {
  return archivedAt === null;
}
