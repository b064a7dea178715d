import * as v from "valibot";
import type { Endpoint } from "../api/endpoint.ts";
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
import { email, nonEmptyText, queryBoolean } from "../model/scalars.ts";
import { grant, type Rule, rule } from "../model/tenant.ts";
import { user } from "../model/user.ts";
import { assertAdminRemains, assertKeyIsFree } from "./set-up-conflicts.ts";
import { setUpPipelines, setUpTag } from "./set-up-pipelines.ts";

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

/** The endpoints of the tenant's set-up, for admins. */
export const setUp: readonly Endpoint[] = [
  ...userEndpoints,
  ...setUpPipelines,
  ...customFieldEndpoints,
  ...ruleEndpoints,
  ...integrationEndpoints,
  ...grantEndpoints,
];
