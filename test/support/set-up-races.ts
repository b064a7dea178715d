import type { Records } from "../../lib/model/kinds.ts";
import type { Storage } from "../../lib/storage/storage.ts";
import { tenantFile, testTenant } from "./tenants.ts";

type Opportunity = Records["opportunity"];
/** A stored opportunity, and the commit time and operation of the change of settings. */
type Change = { readonly opportunity: Opportunity; readonly changedAt: number; readonly op: string };
type SetUpOperation = {
  readonly method: "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: object;
  readonly kind: "stage" | "pipeline" | "customField" | "user" | "rule";
  /** Undefined if the operation creates the record. */
  readonly id?: string;
  /** Whether a stored opportunity violates the change, which succeeded. */
  readonly isViolated: (change: Change) => boolean;
};

const past = "2026-01-05T08:00:00.000Z";
const times = { createdAt: past, updatedAt: past };

/** Tenant number 1, 2, … with opportunities and the settings that the races change. */
export function raceTenant(number: number) {
  const tenant = testTenant(number);
  const id = (index: number) =>
    `0195${String(number).padStart(4, "0")}-0000-7000-9abc-${String(index).padStart(12, "0")}`;
  const [pipeline, stage, otherStage, temporary, needed] = [id(1), id(2), id(3), id(4), id(5)];
  const [moved, won, archived] = [id(6), id(7), id(8)];
  const [choice, otherRule, archivedRule] = [id(9), id(10), id(11)];
  const rule = { entity: "opportunity", field: "amount", ...times };
  const file = tenantFile(tenant) as Record<string, unknown[]>;
  const target = { name: "Race", pipelineId: pipeline, stageId: stage, ...times };
  return {
    ...tenant,
    ...{
      pipeline,
      stage,
      stageElsewhere: tenant.stage,
      temporary,
      needed,
      choice,
      otherRule,
      archivedRule,
      moved,
      won,
      archived,
    },
    file: {
      ...file,
      pipelines: [
        ...(file.pipelines as unknown[]),
        {
          id: pipeline,
          name: "Target",
          stages: [stage, otherStage].map((each, index) => ({ id: each, name: `S${index}`, order: index, ...times })),
          ...times,
        },
      ],
      customFields: [
        { id: temporary, entity: "opportunity", key: "temporary", label: "Temporary", type: "text", ...times },
        { id: needed, entity: "opportunity", key: "needed", label: "Needed", type: "text", ...times },
        {
          id: choice,
          entity: "opportunity",
          key: "choice",
          label: "Choice",
          type: "list",
          options: ["a", "b"],
          ...times,
        },
      ],
      rules: [
        { ...rule, id: otherRule, when: { stageIds: [otherStage] } },
        { ...rule, id: archivedRule, archivedAt: past },
      ],
      opportunities: [
        ...(file.opportunities as unknown[]),
        { ...target, id: moved, pipelineId: tenant.pipeline, stageId: tenant.stage },
        { ...target, id: won, status: "won", closedAt: past },
        { ...target, id: archived, archivedAt: past },
      ],
    },
  };
}

export type RaceTenant = ReturnType<typeof raceTenant>;

const creates = ["create", "upsert", "batch"];

/** The requests that write opportunities: method, path and body. They need the stage, the custom field and the user. */
export function recordOperations({ pipeline, stage, member, moved, won, archived }: RaceTenant) {
  const values = { ownerId: member, customFields: { temporary: "value", choice: "b" } };
  const data = { name: "New", pipelineId: pipeline, stageId: stage, ...values };
  const target = { pipelineId: pipeline, stageId: stage };
  return {
    create: { method: "POST", path: "/opportunities", body: data },
    update: { method: "PATCH", path: `/opportunities/${moved}`, body: { ...target, ...values } },
    lose: { method: "PATCH", path: `/opportunities/${moved}`, body: { ...target, ...values, status: "lost" } },
    reopen: { method: "PATCH", path: `/opportunities/${won}`, body: { status: "open", ...values } },
    restore: { method: "POST", path: `/opportunities/${archived}/restore`, body: values },
    upsert: { method: "POST", path: "/opportunities/upsert?matchBy=externalId", body: { ...data, externalId: "X" } },
    batch: {
      method: "POST",
      path: "/opportunities/batch",
      body: { operations: [1, 2].map(() => ({ op: "create", data })) },
    },
  } as const;
}

/** The changes of settings that an opportunity can violate. */
export function setUpOperations(tenant: RaceTenant): Readonly<Record<string, SetUpOperation>> {
  const { pipeline, stage, member, temporary, needed, choice, otherRule, archivedRule } = tenant;
  const isOpen = ({ status, archivedAt }: Opportunity) => status === "open" && archivedAt === null;
  const isLater = ({ opportunity, changedAt }: Change) => opportunity.updatedAt > changedAt;
  const isCreated = (change: Change) => isLater(change) && creates.includes(change.op);
  const isAssigned = (change: Change) => isLater(change) && change.opportunity.ownerId === member;
  const when = { stageIds: [stage] };
  const entersStage = (change: Change) =>
    isCreated(change) || (isLater(change) && ["update", "lose"].includes(change.op));
  return {
    "archive stage": {
      ...{ method: "DELETE", path: `/admin/stages/${stage}`, kind: "stage", id: stage },
      isViolated: ({ opportunity }) => isOpen(opportunity) && opportunity.stageId === stage,
    },
    "archive pipeline": {
      ...{ method: "DELETE", path: `/admin/pipelines/${pipeline}`, kind: "pipeline", id: pipeline },
      isViolated: ({ opportunity }) => isOpen(opportunity) && opportunity.pipelineId === pipeline,
    },
    "archive field": {
      ...{ method: "DELETE", path: `/admin/custom-fields/${temporary}`, kind: "customField", id: temporary },
      isViolated: (change) => isLater(change) && change.opportunity.customFields.temporary !== undefined,
    },
    "require field": {
      ...{ method: "PATCH", path: `/admin/custom-fields/${needed}`, body: { required: true } },
      ...{ kind: "customField", id: needed, isViolated: isCreated },
    },
    "remove an option": {
      ...{ method: "PATCH", path: `/admin/custom-fields/${choice}`, body: { options: ["a"] } },
      ...{ kind: "customField", id: choice },
      isViolated: (change) => isLater(change) && change.opportunity.customFields.choice === "b",
    },
    "require a lost reason": {
      ...{ method: "PATCH", path: `/admin/pipelines/${pipeline}`, body: { requireLostReason: true } },
      ...{ kind: "pipeline", id: pipeline },
      isViolated: (change) => isLater(change) && change.opportunity.status === "lost",
    },
    "archive user": {
      ...{ method: "DELETE", path: `/admin/users/${member}`, kind: "user", id: member, isViolated: isAssigned },
    },
    "disable user": {
      ...{ method: "PATCH", path: `/admin/users/${member}`, body: { active: false } },
      ...{ kind: "user", id: member, isViolated: isAssigned },
    },
    "create rule": {
      ...{ method: "POST", path: "/admin/rules", body: { entity: "opportunity", field: "amount" } },
      ...{ kind: "rule", isViolated: isCreated },
    },
    "create rule of a stage": {
      ...{ method: "POST", path: "/admin/rules", body: { entity: "opportunity", field: "amount", when }, kind: "rule" },
      isViolated: entersStage,
    },
    "change rule": {
      ...{ method: "PATCH", path: `/admin/rules/${otherRule}`, body: { when }, kind: "rule", id: otherRule },
      isViolated: entersStage,
    },
    "restore rule": {
      ...{ method: "POST", path: `/admin/rules/${archivedRule}/restore`, kind: "rule", id: archivedRule },
      isViolated: isCreated,
    },
  };
}

/** Returns the commit time of a change. Undefined if it was rejected. */
export async function changeTime(
  storage: Storage,
  tenant: string,
  { kind, id }: SetUpOperation,
): Promise<number | undefined> {
  const records = await storage.list(tenant, kind, { includeArchived: true });
  const changed = records.filter((each) => (id === undefined || each.id === id) && each.updatedAt > Date.parse(past));
  return changed[0]?.updatedAt;
}
