import { apiKeyStatus } from "../api/rules/api-key-status.ts";
import {
  checkCondition,
  checkConditionEntity,
  checkCustomFieldType,
  checkLostReasonRule,
  checkOptions,
  checkRuleField,
  type RuleCondition,
} from "../api/rules/set-up-checks.ts";
import { isSameKey } from "../model/custom-field.ts";
import type { FieldError } from "../model/errors.ts";
import type { ApiKey } from "../model/integration.ts";
import type { Kind } from "../model/kinds.ts";
import type { TenantFileEntry } from "./entries.ts";

/** Input of a check besides its entry. */
export type CheckContext = {
  readonly entries: readonly TenantFileEntry[];
  readonly findEntry: (kind: Kind, id: unknown) => TenantFileEntry | undefined;
  /** Current time in milliseconds. */
  readonly now: number;
  /** Reports an error of an entry. `path` is a JSON Pointer inside the entry. */
  readonly report: (entry: TenantFileEntry, path: string, code: FieldError["code"], message: string) => void;
};

type Check = (entry: TenantFileEntry, context: CheckContext) => void;

/** Checks that only apply to one kind. */
export const kindChecks: Partial<Readonly<Record<Kind, Check>>> = {
  apiKey: checkApiKey,
  customField: checkCustomField,
  opportunity: checkOpportunity,
  pipeline: checkPipeline,
  rule: checkRule,
  task: (entry, context) => checkClosedAt(entry, "pending", context),
};

/** Maximum number of active API keys per integration. */
const maxActiveKeys = 2;

/** Returns `true` if the entry has an `archivedAt`. */
export function isArchived({ times }: TenantFileEntry): boolean {
  return (times.archivedAt ?? null) !== null;
}

function checkOpportunity(entry: TenantFileEntry, context: CheckContext): void {
  const { status, stageId, pipelineId, lostReason } = entry.values;
  const contactIds = entry.values.contactIds as readonly string[];
  checkClosedAt(entry, "open", context);
  for (const [name, id] of Object.entries({ pipelineId, stageId })) {
    if (id === null) context.report(entry, `/${name}`, "required", `${name} is required in a tenant file.`);
  }
  const stage = context.findEntry("stage", stageId);
  if (stage !== undefined && stage.values.pipelineId !== pipelineId) {
    context.report(entry, "/stageId", "not_in_pipeline", "stageId must be a stage of the pipeline in pipelineId.");
  }
  for (const [index, id] of contactIds.entries()) {
    if (contactIds.indexOf(id) === index) continue;
    context.report(entry, `/contactIds/${index}`, "not_an_option", "Duplicate contact ID.");
  }
  if (lostReason !== null && status !== "lost") {
    context.report(entry, "/lostReason", "not_an_option", "lostReason must be null unless the status is lost.");
  }
}

function checkClosedAt(entry: TenantFileEntry, openStatus: string, { report }: CheckContext): void {
  const { status, closedAt } = entry.values;
  if (status !== openStatus || closedAt === null) return;
  report(entry, "/closedAt", "not_an_option", `closedAt must be null if the status is ${openStatus}.`);
}

function checkCustomField(entry: TenantFileEntry, { entries, report }: CheckContext): void {
  const errors = [
    ...checkCustomFieldType(entry.values),
    // The options of an exported field may have changed since, so that labels of removed options remain.
    ...(entry.isExported ? [] : [...checkOptions(entry.values), ...checkTypeOfKey(entry, entries)]),
  ];
  for (const { path, code, message } of errors) report(entry, path, code, message);
}

/** Returns the error of a key that an earlier field of the entity has, archived or not, with another type. */
function checkTypeOfKey({ values }: TenantFileEntry, entries: readonly TenantFileEntry[]): readonly FieldError[] {
  const first = entries.find(
    (each) =>
      each.kind === "customField" && each.values.entity === values.entity && isSameKey(each.values.key, values.key),
  );
  if (first === undefined || first.values.type === values.type) return [];
  const message = `${first.path} has this key and the type ${first.values.type}. An archived field keeps its key.`;
  return [{ path: "/key", code: "not_an_option", message }];
}

function checkRule(entry: TenantFileEntry, context: CheckContext): void {
  const { entries, findEntry, report } = context;
  const when = entry.values.when as RuleCondition | null;
  const isCustomField = (key: string) =>
    // The custom field of an exported rule may have been removed since.
    entry.isExported ||
    entries.some(
      (each) =>
        each.kind === "customField" &&
        !isArchived(each) &&
        each.values.entity === entry.values.entity &&
        each.values.key === key,
    );
  const errors = [
    ...checkRuleField(entry.values, isCustomField),
    ...checkConditionEntity(entry.values),
    // An older version accepted rules that never apply or that no record can satisfy.
    ...(entry.isExported ? [] : checkLostReasonRule(entry.values)),
    ...(when === null || entry.isExported ? [] : checkCondition(when)),
  ];
  for (const { path, code, message } of errors) report(entry, path, code, message);
  for (const [index, id] of (when?.stageIds ?? []).entries()) {
    if (findEntry("stage", id) !== undefined) continue;
    report(entry, `/when/stageIds/${index}`, "not_found", `The file contains no stage ${id}.`);
  }
}

function checkApiKey(entry: TenantFileEntry, { entries, now, report }: CheckContext): void {
  const { integrationId, hash, maskedKey } = entry.values;
  if (typeof hash !== "string" || typeof maskedKey !== "string") {
    report(entry, "/key", "required", "An API key needs key, or hash and maskedKey.");
    return;
  }
  const active = entries.filter(
    ({ kind, values }) =>
      kind === "apiKey" &&
      values.integrationId === integrationId &&
      apiKeyStatus(values as Pick<ApiKey, "expiresAt" | "revokedAt">, now) === "active",
  );
  if (active.indexOf(entry) >= maxActiveKeys) {
    report(entry, "", "out_of_range", `An integration can have at most ${maxActiveKeys} active API keys.`);
  }
}

function checkPipeline(entry: TenantFileEntry, { entries, report }: CheckContext): void {
  const isStage = ({ kind, values }: TenantFileEntry) => kind === "stage" && values.pipelineId === entry.id;
  const takesOpportunities = !entry.isExported && !isArchived(entry);
  if (entries.some((each) => isStage(each) && !(takesOpportunities && isArchived(each)))) return;
  report(entry, "/stages", "required", "A pipeline needs at least one stage that isn't archived.");
}
