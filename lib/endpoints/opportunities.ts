import * as v from "valibot";
import type { Call, Context } from "../endpoint.ts";
import type { Finding, Problem } from "../errors.ts";
import { filledText, means, oneOf, uuid } from "../input/scalars.ts";
import { type Opportunity, opportunity, opportunityStatuses } from "../records/opportunity.ts";
import { resource } from "../resource.ts";
import { stateConflict, type Values } from "../rules/change.ts";
import { assertTransition, closedAt } from "../rules/closing.ts";
import { assertStageMove, checkLostReason, firstPipeline, firstStage } from "../rules/sale.ts";

const contactId = v.pipe(
  uuid,
  means({
    description: "Only opportunities in which this contact takes part.",
    examples: ["01945eff-a5c0-732a-93b1-33d2195a9dee"],
  }),
);

/** Opportunities: in a stage of a pipeline, open ⇄ won, open ⇄ lost; a closed one keeps its stage. */
export const opportunities = resource({
  model: opportunity,
  filters: {
    status: oneOf(opportunityStatuses),
    pipelineId: uuid,
    stageId: uuid,
    accountId: uuid,
    contactId,
    ownerId: uuid,
    externalId: filledText(255),
  },
  createErrors: ["conflict"],
  example: {
    id: "01975941-5b14-79c5-908e-192af1bc2574",
    create: {
      name: "Two grinders for the roastery",
      accountId: "01945eff-a5c0-7ce2-b439-160e7d883d6c",
      contactIds: ["01945eff-a5c0-732a-93b1-33d2195a9dee"],
      amount: 3800,
      currency: "EUR",
      externalId: "SO-30412",
      customFields: { source: "website", machines: 2 },
    },
    update: { stageId: "01943ada-06a8-74f0-8f09-6da8465488a9", amount: 4200, currency: "EUR" },
  },
  async complete(after, before, call, context) {
    const reopened = before !== undefined && before.status !== "open" && after.status === "open";
    const contactIds = [...new Set(after.contactIds as string[])];
    const lostReason = reopened && after.lostReason === before.lostReason ? null : after.lostReason;
    return { ...after, contactIds, lostReason, ...(await placeOf(after, before, call, context)) };
  },
  async check(after, before, call, { storage }) {
    const { stageId, pipelineId, status, lostReason } = after;
    const stage = await storage.get(call.caller.tenantId, "stage", String(stageId));
    const pipeline = await storage.get(call.caller.tenantId, "pipeline", String(pipelineId));
    if (stageId === null && pipeline !== undefined) return [noStage];
    if (stage === undefined || pipeline === undefined) return [];
    if (stage.pipelineId !== pipeline.id) return [strangeStage];
    const derived = (call.body as Values).pipelineId === undefined && before?.pipelineId !== pipelineId;
    if (derived && pipeline.archivedAt !== null) return [goneStage];
    const asked = before === undefined || before.status !== status || before.lostReason !== lostReason;
    return asked ? checkLostReason(pipeline, after) : [];
  },
  assertChange(after, before) {
    assertTransition("opportunity", "open", before as unknown as Opportunity, String(after.status));
    assertStageMove(after, before);
  },
  settle(after, before, at) {
    const moved = before === undefined || before.stageId !== after.stageId;
    return {
      closedAt: closedAt("open", before as unknown as Opportunity | undefined, String(after.status), at),
      stageChangedAt: moved ? at : before.stageChangedAt,
    };
  },
});

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

/** The pipeline follows from the stage; without a stage, a new one begins in the first of its pipeline. */
async function placeOf(after: Values, before: Values | undefined, call: Call, { storage }: Context): Promise<Values> {
  const { tenantId } = call.caller;
  const sent = call.body as Values;
  if (typeof sent.stageId === "string" && sent.pipelineId === undefined) {
    const stage = await storage.get(tenantId, "stage", sent.stageId);
    return stage === undefined ? {} : { pipelineId: stage.pipelineId };
  }
  if (before !== undefined || sent.stageId !== undefined) return {};
  const pipelineId = after.pipelineId ?? firstPipeline(await storage.list(tenantId, "pipeline", {}))?.id;
  if (pipelineId === undefined)
    throw stateConflict("The tenant has no pipeline for opportunities to be in.", "no_pipeline", []);
  const stages = await storage.list(tenantId, "stage", { where: { pipelineId: String(pipelineId) } });
  return { pipelineId, stageId: firstStage(stages)?.id ?? null };
}
