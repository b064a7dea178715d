import type { Call, Context } from "../endpoint.ts";
import { filledText, oneOf, said, uuid } from "../input/scalars.ts";
import { type Opportunity, opportunity, opportunityStatuses } from "../records/opportunity.ts";
import { resource } from "../resource.ts";
import { stateConflict, type Values } from "../rules/change.ts";
import { assertTransition, closedAt } from "../rules/closing.ts";
import { assertStageMove, checkSale } from "../rules/sale.ts";
import { firstPipeline, inOrder } from "../rules/stage-order.ts";

/** Opportunities: in a stage of a pipeline, open ⇄ won, open ⇄ lost; a closed one keeps its stage. */
export const opportunities = resource({
  model: opportunity,
  filters: {
    status: oneOf(opportunityStatuses),
    pipelineId: uuid,
    stageId: uuid,
    accountId: uuid,
    contactId: said(uuid, "Only opportunities in which this contact takes part."),
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
    const stage = await storage.get(call.caller.tenantId, "stage", String(after.stageId));
    const pipeline = await storage.get(call.caller.tenantId, "pipeline", String(after.pipelineId));
    const derived = (call.body as Values).pipelineId === undefined && before?.pipelineId !== after.pipelineId;
    return checkSale(after, before, { stage, pipeline, derived });
  },
  assertChange(after, before) {
    assertTransition("opportunity", "open", before as unknown as Opportunity, String(after.status));
    assertStageMove(after, before);
  },
  settle(after, before, at) {
    const closed = closedAt("open", before as unknown as Opportunity | undefined, String(after.status), at);
    return { closedAt: closed, stageChangedAt: before?.stageId === after.stageId ? before?.stageChangedAt : at };
  },
});

/** The pipeline follows from the stage; without a stage, a new one begins in the first of its pipeline. */
async function placeOf(after: Values, before: Values | undefined, call: Call, { storage }: Context): Promise<Values> {
  const [{ tenantId }, sent] = [call.caller, call.body as Values];
  if (typeof sent.stageId === "string" && sent.pipelineId === undefined) {
    const stage = await storage.get(tenantId, "stage", sent.stageId);
    return stage === undefined ? {} : { pipelineId: stage.pipelineId };
  }
  if (before !== undefined || sent.stageId !== undefined) return {};
  const pipelineId = after.pipelineId ?? firstPipeline(await storage.list(tenantId, "pipeline", {}))?.id;
  if (pipelineId === undefined)
    throw stateConflict("The tenant has no pipeline for opportunities to be in.", "no_pipeline", []);
  const stages = await storage.list(tenantId, "stage", { where: { pipelineId: String(pipelineId) } });
  return { pipelineId, stageId: inOrder(stages)[0]?.id ?? null };
}
