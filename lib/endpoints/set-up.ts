import * as v from "valibot";
import type { Endpoint } from "../api/endpoint.ts";
import { setUpResource } from "../api/resource.ts";
import {
  checkCondition,
  checkConditionEntity,
  checkCustomFieldType,
  checkLostReasonRule,
  checkOptions,
  checkRuleField,
  type RuleCondition,
} from "../api/rules/set-up-checks.ts";
import { type CustomField, customField, customFieldEntities } from "../model/custom-field.ts";
import { entityKinds } from "../model/entities.ts";
import type { FieldError, ValidationIssue } from "../model/errors.ts";
import { nonEmptyText, queryBoolean, queryEmail } from "../model/scalars.ts";
import { grant, type Rule, rule } from "../model/tenant.ts";
import { user } from "../model/user.ts";
import { assertAdminRemains, assertNotRequired, assertTypeOfKey } from "./set-up-conflicts.ts";
import { setUpIntegrations } from "./set-up-integrations.ts";
import { setUpPipelines, setUpTag } from "./set-up-pipelines.ts";
import { stageOrder } from "./stage-order.ts";

const toIssues = (errors: readonly FieldError[]): ValidationIssue[] =>
  errors.map((problem) => ({ kind: "rule", problem }));

const role = v.picklist(["admin", "member"]);

const customFieldEndpoints = setUpResource(
  {
    model: customField,
    filters: { entity: v.picklist(customFieldEntities) },
    example: {
      id: "01943ae0-bce0-7f7e-9d5d-f7a2101f8f70",
      create: {
        entity: "contact",
        key: "newsletter",
        label: "Newsletter",
        type: "list",
        options: ["weekly", "monthly"],
      },
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
    async assertChange(after, before, tenantId, context) {
      if (after === undefined) await assertNotRequired(before, tenantId, context);
      else await assertTypeOfKey(after, before, tenantId, context);
    },
  },
  setUpTag,
  {
    create: ["duplicate", "validation_error"],
    update: ["conflict", "validation_error"],
    archive: ["conflict"],
    restore: ["duplicate"],
  },
);

type RuleContext = { readonly keys: readonly CustomField[]; readonly stageIds: readonly string[] };

const ruleEndpoints = setUpResource<RuleContext>(
  {
    model: rule,
    filters: { entity: v.picklist(entityKinds) },
    example: {
      id: "01943aed-5665-752c-83dd-6a7121f6444b",
      create: { entity: "account", field: "phone" },
      update: { when: { statuses: ["won"] } },
    },
    async loadRelated(_input, _before, { tenantId }, storage) {
      const [keys, stages] = await Promise.all([
        storage.list(tenantId, "customField", {}),
        storage.list(tenantId, "stage", {}),
      ]);
      return { keys, stageIds: stages.map(({ id }) => id) };
    },
    check(after, before, input, { keys, stageIds }) {
      const { entity, field, when = null } = after as Partial<Rule>;
      const isKnown = entity !== undefined && field !== undefined;
      const isStored = before?.archivedAt === null && before.field === field && before.entity === entity;
      const isCustomField = (key: string) =>
        isStored || keys.some((each) => each.entity === entity && each.key === key);
      const condition = when as RuleCondition | null;
      const isNewCondition = input.when !== undefined && condition !== null;
      const missing = (isNewCondition ? (condition.stageIds ?? []) : []).flatMap((id, index): FieldError[] => {
        const path = `/when/stageIds/${index}`;
        return stageIds.includes(id) ? [] : [{ path, code: "not_found", message: "The stage doesn't exist." }];
      });
      return toIssues([
        ...(isKnown ? checkRuleField(after, isCustomField) : []),
        ...(entity === undefined ? [] : checkConditionEntity(after)),
        ...(isKnown ? checkLostReasonRule(after) : []),
        ...(isNewCondition ? checkCondition(condition) : []),
        ...missing,
      ]);
    },
  },
  setUpTag,
  {
    create: ["validation_error"],
    update: ["conflict", "validation_error"],
    archive: [],
    restore: [],
  },
);

const userEndpoints = setUpResource(
  {
    model: user,
    filters: { email: queryEmail, role, active: queryBoolean, externalId: nonEmptyText(255) },
    example: {
      id: "01944578-1fbe-7cf2-96f4-3e04f83beb19",
      create: { name: "Ana Silva", email: "ana.silva@fjordlys.example", role: "member" },
      update: { externalId: "HR-1042" },
    },
    assertChange: assertAdminRemains,
  },
  setUpTag,
  {
    create: ["duplicate"],
    update: ["conflict", "duplicate", "tenant_without_admin"],
    archive: ["tenant_without_admin"],
    restore: ["duplicate"],
  },
);

const grantEndpoints = setUpResource(
  {
    model: grant,
    filters: {},
    example: {
      id: "0196c4bd-e28c-78d7-979f-5594323a965c",
      create: { userId: "01944578-1fbe-7cf2-96f4-3e04f83beb19" },
      update: { userId: "01943aa2-bd4a-7513-bffe-033db0871959" },
    },
  },
  setUpTag,
  { create: [], update: ["conflict"], archive: [], restore: [] },
);

/** The endpoints of the tenant's set-up, for admins. */
export const setUp: readonly Endpoint[] = [
  ...userEndpoints,
  ...setUpPipelines,
  stageOrder,
  ...customFieldEndpoints,
  ...ruleEndpoints,
  ...setUpIntegrations,
  ...grantEndpoints,
];
