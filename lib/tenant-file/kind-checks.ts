import { apiKeyStatus } from "../api/rules/api-key-status.ts";
import type { FieldError } from "../model/errors.ts";
import type { ApiKey } from "../model/integration.ts";
import { type Kind, models } from "../model/kinds.ts";
import type { Model } from "../model/model.ts";
import { normalizeCase } from "../model/normalize.ts";
import { quote } from "../model/suggest.ts";
import { jsonPointer } from "../model/validate.ts";
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

function checkCustomField(entry: TenantFileEntry, { report }: CheckContext): void {
  const { type, maxLength } = entry.values;
  const options = entry.values.options as readonly string[] | null;
  const isList = type === "list" || type === "multi_list";
  if (isList && options === null) report(entry, "/options", "required", `A field of type ${type} needs options.`);
  if (!isList && options !== null)
    report(entry, "/options", "unknown_key", `A field of type ${type} can't have options.`);
  if (type !== "text" && maxLength !== null) {
    report(entry, "/maxLength", "unknown_key", `A field of type ${type} can't have maxLength.`);
  }
  // The options of an exported field may have changed since, so that labels of removed options remain.
  if (entry.isExported) return;
  const optionByName = new Map<string, string>();
  for (const [index, option] of (options ?? []).entries()) {
    const other = optionByName.get(normalizeCase(option));
    if (other === undefined) optionByName.set(normalizeCase(option), option);
    else
      report(entry, `/options/${index}`, "not_an_option", `This option duplicates ${quote(other)}. Case is ignored.`);
  }
  for (const option of Object.keys(entry.values.optionLabels ?? {})) {
    if (options?.includes(option) === true) continue;
    report(
      entry,
      jsonPointer(["optionLabels", option]),
      "not_an_option",
      "Labels are only allowed for options of the field.",
    );
  }
}

function checkRule(entry: TenantFileEntry, context: CheckContext): void {
  const { entries, findEntry, report } = context;
  const { entity, field, when } = entry.values;
  const [name = "", customKey] = String(field).split(/\.(.*)/);
  const { fields } = models[entity as Kind] as Model;
  const isField = customKey === undefined && name !== "customFields" && Object.hasOwn(fields, name);
  const isDefinedCustomField = entries.some(
    (each) =>
      each.kind === "customField" &&
      !isArchived(each) &&
      each.values.entity === entity &&
      each.values.key === customKey,
  );
  // The custom field of an exported rule may have been removed since.
  const isCustomField =
    name === "customFields" && (isDefinedCustomField || (entry.isExported && customKey !== undefined));
  if (!isField && !isCustomField) {
    report(entry, "/field", "not_found", `${entity} has no field ${String(field)}.`);
  }
  if (isField && fields[name]?.readOnly !== undefined) {
    report(entry, "/field", "read_only", `${name} is read-only, so it can't be required.`);
  }
  if (when === null) return;
  if (entity !== "opportunity") {
    report(entry, "/when", "not_an_option", "when is only allowed for opportunities.");
  }
  // An older version accepted conditions that never apply.
  if (!entry.isExported) checkCondition(entry, context);
  for (const [index, id] of ((when as RuleCondition).stageIds ?? []).entries()) {
    if (findEntry("stage", id) !== undefined) continue;
    report(entry, `/when/stageIds/${index}`, "not_found", `The file contains no stage ${id}.`);
  }
}

type RuleCondition = { readonly stageIds?: readonly string[]; readonly statuses?: readonly string[] };

/** Reports a condition that never applies. */
function checkCondition(entry: TenantFileEntry, { report }: CheckContext): void {
  const { stageIds, statuses } = entry.values.when as RuleCondition;
  if (stageIds === undefined && statuses === undefined) {
    report(entry, "/when", "required", "when needs stageIds or statuses. Omit it if the field is always required.");
  }
  for (const [name, list] of Object.entries({ stageIds, statuses })) {
    if (list?.length !== 0) continue;
    report(
      entry,
      `/when/${name}`,
      "required",
      `${name} is empty, so the rule never applies. Add a value or omit ${name}.`,
    );
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
  const hasStage = entries.some(({ kind, values }) => kind === "stage" && values.pipelineId === entry.id);
  if (!hasStage) report(entry, "/stages", "required", "A pipeline needs at least one stage.");
}
