import * as v from "valibot";
import type { Endpoint, EndpointCall, Tag } from "../api/endpoint.ts";
import { resource } from "../api/resource.ts";
import {
  checkCondition,
  checkConditionEntity,
  checkCustomFieldType,
  checkOptions,
  checkRuleField,
  type RuleCondition,
} from "../api/rules/set-up-checks.ts";
import { type CustomField, customField, customFieldEntities } from "../model/custom-field.ts";
import { entityKinds } from "../model/entities.ts";
import type { FieldError, ValidationIssue } from "../model/errors.ts";
import { integration } from "../model/integration.ts";
import type { FieldValues } from "../model/model.ts";
import { pipeline, stage } from "../model/pipeline.ts";
import { describe, email, jsonSchema, nonEmptyText, queryBoolean, uuid } from "../model/scalars.ts";
import { grant, type Rule, rule } from "../model/tenant.ts";
import { user } from "../model/user.ts";
import { assertAdminRemains, assertDefaultIsFree, assertKeyIsFree, assertUnused } from "./set-up-conflicts.ts";

export const setUpTag: Tag = {
  name: "Set-up",
  description:
    "For admins, with a token of the tenant's sign-in service as `Authorization: Bearer`. These paths are below " +
    "`/integrations/admin`, without `/v1`. Changes of one tenant's set-up run one after another.",
};

const toIssues = (errors: readonly FieldError[]): ValidationIssue[] =>
  errors.map((problem) => ({ kind: "rule", problem }));

const noErrors = { create: [], update: ["conflict"], archive: [], restore: [] } as const;
const role = v.picklist(["admin", "member"]);

const customFieldEndpoints = resource({
  model: customField,
  setUpTag,
  setUpErrors: {
    create: ["duplicate", "validation_error"],
    update: ["conflict", "validation_error"],
    archive: [],
    restore: ["duplicate"],
  },
  filters: { entity: v.picklist(customFieldEntities) },
  example: {
    id: "01943ae0-bce0-7f7e-9d5d-f7a2101f8f70",
    create: { entity: "contact", key: "newsletter", label: "Newsletter", type: "list", options: ["weekly", "monthly"] },
    update: { label: "Sites" },
  },
  deriveFields(after, _before, input) {
    const { options, optionLabels } = after as CustomField;
    if (input.optionLabels !== undefined || options === null || optionLabels === null) return after;
    const labels = Object.entries(optionLabels ?? {}).filter(([option]) => options?.includes(option));
    return { ...after, optionLabels: Object.fromEntries(labels) };
  },
  check(after, before, input) {
    if (after.type === undefined || "options" in after === false) return [];
    const isChanged = before === undefined || "options" in input || "optionLabels" in input;
    return toIssues([...checkCustomFieldType(after), ...(isChanged ? checkOptions(after) : [])]);
  },
  assertChange: assertKeyIsFree,
});

type RuleContext = { readonly keys: readonly CustomField[]; readonly stageIds: readonly string[] };

const ruleEndpoints = resource<RuleContext>({
  model: rule,
  setUpTag,
  setUpErrors: {
    create: ["validation_error"],
    update: ["conflict", "validation_error"],
    archive: [],
    restore: [],
  },
  filters: { entity: v.picklist(entityKinds) },
  example: {
    id: "01943aed-5665-752c-83dd-6a7121f6444b",
    create: { entity: "account", field: "phone" },
    update: { when: { statuses: ["won"] } },
  },
  async loadRelated(_input, _before, tenantId, storage) {
    const [keys, stages] = await Promise.all([
      storage.list(tenantId, "customField", {}),
      storage.list(tenantId, "stage", {}),
    ]);
    return { keys, stageIds: stages.map(({ id }) => id) };
  },
  check(after, before, input, { keys, stageIds }) {
    const { entity, field, when = null } = after as Partial<Rule>;
    const isKnown = entity !== undefined && field !== undefined;
    const isCustomField = (key: string) =>
      (before?.field === field && before?.entity === entity) ||
      keys.some((each) => each.entity === entity && each.key === key);
    const condition = when as RuleCondition | null;
    const isNewCondition = input.when !== undefined && condition !== null;
    const missing = (isNewCondition ? (condition.stageIds ?? []) : []).flatMap((id, index): FieldError[] => {
      const path = `/when/stageIds/${index}`;
      return stageIds.includes(id) ? [] : [{ path, code: "not_found", message: "The stage doesn't exist." }];
    });
    return toIssues([
      ...(isKnown ? checkRuleField(after, isCustomField) : []),
      ...(entity === undefined ? [] : checkConditionEntity(after)),
      ...(isNewCondition ? checkCondition(condition) : []),
      ...missing,
    ]);
  },
});

const userEndpoints = resource({
  model: user,
  setUpTag,
  setUpErrors: {
    create: ["duplicate"],
    update: ["conflict", "duplicate", "tenant_without_admin"],
    archive: ["tenant_without_admin"],
    restore: ["duplicate"],
  },
  filters: { email, role, active: queryBoolean, externalId: nonEmptyText(255) },
  example: {
    id: "01944578-1fbe-7cf2-96f4-3e04f83beb19",
    create: { name: "Ana Silva", email: "ana.silva@fjordlys.example", role: "member" },
    update: { externalId: "HR-1042" },
  },
  assertChange: assertAdminRemains,
});

const pipelineEndpoints = resource({
  model: pipeline,
  setUpTag,
  setUpErrors: {
    create: ["duplicate"],
    update: ["conflict", "duplicate"],
    archive: ["conflict"],
    restore: ["duplicate"],
  },
  filters: {},
  example: {
    id: "01943ad8-5a8f-7852-b1ee-2113adc6ff6b",
    create: { name: "Service contracts", stages: [{ name: "Offer", probability: 40 }, { name: "Signature" }] },
    update: { lostReasons: ["Price", "No answer"] },
  },
  async assertChange(after, before, tenantId, storage) {
    if (after === undefined && before !== undefined) await assertUnused("pipeline", before.id, tenantId, storage);
    else await assertDefaultIsFree(after as FieldValues, before, tenantId, storage);
  },
});

const stageEndpoints = resource({
  model: stage,
  setUpTag,
  setUpErrors: { create: [], update: ["conflict"], archive: ["conflict"], restore: [] },
  filters: { pipelineId: uuid },
  example: {
    id: "01943ade-ed2c-77dc-b3c3-d88de87d2768",
    create: { pipelineId: "01943ad8-5a8f-7852-b1ee-2113adc6ff6b", name: "Contract", order: 9 },
    update: { probability: 15 },
  },
  async assertChange(after, before, tenantId, storage) {
    if (after === undefined && before !== undefined) await assertUnused("stage", before.id, tenantId, storage);
  },
});

const integrationEndpoints = resource({
  model: integration,
  setUpTag,
  setUpErrors: noErrors,
  filters: {},
  example: {
    id: "0196c4b9-67ba-77d2-8942-340a98fd126a",
    create: { name: "Newsletter", scopes: ["contacts:read"] },
    update: { scopes: ["tasks:read", "tasks:write"] },
  },
});

const grantEndpoints = resource({
  model: grant,
  setUpTag,
  setUpErrors: noErrors,
  filters: {},
  example: {
    id: "0196c4bd-e28c-78d7-979f-5594323a965c",
    create: { userId: "01944578-1fbe-7cf2-96f4-3e04f83beb19" },
    update: { userId: "01943aa2-bd4a-7513-bffe-033db0871959" },
  },
});

const { pipelineId: _, order, ...stageFields } = stage.fields;
const newStage = v.pipe(
  v.strictObject({
    name: describe(stageFields.name.schema, "Display name."),
    order: v.optional(describe(order.schema, "Position. Defaults to the place in the list, from 1.")),
    probability: v.optional(describe(stageFields.probability.schema, "Probability of winning, in percent.")),
  }),
  jsonSchema({
    description: "A stage of a new pipeline. `order` defaults to its place in the list, from 1.",
  }),
);
type NewStage = v.InferOutput<typeof newStage>;

/** Adds `stages` to the body that creates a pipeline, so that opportunities can use it at once. */
function withNewStages(create: Endpoint): Endpoint {
  const single = create.body as unknown as v.StrictObjectSchema<v.ObjectEntries, undefined>;
  const stages = describe(v.pipe(v.array(newStage), v.minLength(1, "must have at least one stage")), "The stages.");
  const split = (call: EndpointCall) => {
    const { stages, ...body } = call.body as FieldValues & { stages?: readonly NewStage[] };
    return { stages: stages ?? [], call: { ...call, body } };
  };
  return {
    ...create,
    body: v.pipe(
      v.strictObject({ ...single.entries, stages }),
      jsonSchema({ title: "PipelineCreate", description: "Fields of a new pipeline, and its stages in order." }),
    ),
    async handle(received, context) {
      const { stages, call } = split(received);
      const result = await create.handle(call as never, context);
      if (typeof result !== "function") return result;
      const ids = stages.map(() => context.newId());
      return (at, now) => {
        const response = result(at, now);
        const pipelineId = String(response.writes.find(({ kind }) => kind === "pipeline")?.record.id);
        const inserts = stages.map(({ name, order, probability = null }, index) => {
          const times = { createdAt: now, updatedAt: at, archivedAt: null };
          const record = { id: String(ids[index]), pipelineId, name, order: order ?? index + 1, probability, ...times };
          return { op: "insert" as const, kind: "stage" as const, record };
        });
        return { ...response, writes: [...response.writes, ...inserts] };
      };
    },
    findIssues: async (call, issues, context) =>
      (await create.findIssues?.(split(call).call, issues, context)) ?? issues,
  };
}

/** The endpoints of the tenant's set-up, for admins. */
export const setUp: readonly Endpoint[] = [
  ...userEndpoints,
  ...pipelineEndpoints.map((each) => (each.name === "adminCreatePipeline" ? withNewStages(each) : each)),
  ...stageEndpoints,
  ...customFieldEndpoints,
  ...ruleEndpoints,
  ...integrationEndpoints,
  ...grantEndpoints,
];
