import { apiKeyStatus } from "../api/rules/api-key-status.ts";
import { mergeCustomFieldValues } from "../api/rules/custom-field-values.ts";
import type { CustomField, CustomFieldValues } from "../model/custom-field.ts";
import type { FieldError, ValidationIssue } from "../model/errors.ts";
import type { ApiKey } from "../model/integration.ts";
import { type Kind, models } from "../model/kinds.ts";
import type { Model } from "../model/model.ts";
import { normalizeCase } from "../model/normalize.ts";
import { collectReferences } from "../model/references.ts";
import { quote } from "../model/suggest.ts";
import { pointer } from "../model/validate.ts";
import type { TenantFileEntry } from "./entries.ts";
import { validateStoredValues } from "./stored-values.ts";

type Report = (entry: TenantFileEntry, field: string, code: FieldError["code"], message: string) => void;

/** Everything that is wrong between the records of a file at a time (ms), each fault with its path in the file. */
export function validateEntries(entries: readonly TenantFileEntry[], now: number): readonly ValidationIssue[] {
  const findings: ValidationIssue[] = [];
  const report: Report = (entry, field, code, message) =>
    findings.push({ kind: "rule", problem: { path: entry.path + field, code, message } });
  const byId = new Map<string, TenantFileEntry>();
  for (const entry of entries) {
    const other = byId.get(entry.kind + entry.id);
    if (other !== undefined) report(entry, "/id", "not_an_option", `This id is already that of ${other.path}.`);
    byId.set(entry.kind + entry.id, entry);
  }
  checkUniques(entries, report);
  const catalogs = customFieldsByEntity(entries);
  for (const entry of entries) {
    checkTimes(entry, report);
    checkReferences(entry, byId, report);
    checkState(entry, byId, report);
    if (entry.kind === "customField") checkCatalogEntry(entry, report);
    if (entry.kind === "rule") checkRule(entry, entries, report);
    if (entry.kind === "apiKey") checkKey(entry, entries, now, report);
    if (entry.kind === "pipeline") checkPipeline(entry, entries, report);
    findings.push(...customFindings(entry, catalogs));
  }
  return findings;
}

/** The catalogue of each entity, as the file has it. */
export function customFieldsByEntity(
  entries: readonly TenantFileEntry[],
): ReadonlyMap<unknown, readonly CustomField[]> {
  const fields = entries
    .filter((entry) => entry.kind === "customField" && !isArchived(entry))
    .map(({ values }) => values as unknown as CustomField);
  return Map.groupBy(fields, ({ entity }): unknown => entity);
}

function checkUniques(entries: readonly TenantFileEntry[], report: Report): void {
  const taken = new Map<string, TenantFileEntry>();
  // A key may not stand twice even in the archive: it is what finds its tenant.
  for (const entry of entries.filter((each) => each.kind === "apiKey" || !isArchived(each))) {
    const { kind, values } = entry;
    const fields = Object.entries((models[kind] as Model).fields);
    const keys = fields.flatMap(([name, { unique }]): [string, string][] => {
      return unique !== undefined && typeof values[name] === "string" ? [[`/${name}`, unique(values[name])]] : [];
    });
    if (kind === "customField") keys.push(["/key", `${values.entity} ${values.key}`]);
    if (kind === "apiKey" && typeof values.hash === "string")
      keys.push([entry.key === undefined ? "/hash" : "/key", String(values.hash)]);
    if (kind === "pipeline" && values.isDefault === true) keys.push(["/isDefault", "default"]);
    for (const [field, key] of keys) {
      const other = taken.get(`${kind} ${field} ${key}`);
      if (other !== undefined) report(entry, field, "not_an_option", `This is already taken by ${other.path}.`);
      else taken.set(`${kind} ${field} ${key}`, entry);
    }
  }
}

/** Later times leave the tenant's clock no room to go on. */
const timeMax = Date.parse("9000-01-01T00:00:00.000Z");

function checkTimes(entry: TenantFileEntry, report: Report): void {
  const { createdAt, updatedAt, archivedAt } = entry.times;
  for (const [name, at] of Object.entries(entry.times)) {
    if (at !== null && (at < 0 || at > timeMax)) {
      report(entry, `/${name}`, "out_of_range", `${name} must be a time from 1970 to 9000.`);
    }
  }
  if (updatedAt === undefined) return;
  if (createdAt !== undefined && createdAt > updatedAt) {
    report(entry, "/createdAt", "out_of_range", "createdAt must not be after updatedAt.");
  }
  if (typeof archivedAt === "number" && archivedAt > updatedAt) {
    report(entry, "/archivedAt", "out_of_range", "archivedAt must not be after updatedAt.");
  }
}

function checkReferences(entry: TenantFileEntry, byId: ReadonlyMap<string, TenantFileEntry>, report: Report): void {
  for (const { path, kind, id } of collectReferences(models[entry.kind], entry.values)) {
    if (!byId.has(kind + id)) report(entry, path, "not_found", `There is no ${kind} ${id} in this file.`);
  }
}

/** What the API would never let a record become. */
function checkState(
  { kind, ...entry }: TenantFileEntry,
  byId: ReadonlyMap<string, TenantFileEntry>,
  report: Report,
): void {
  const { status, closedAt, stageId, pipelineId, lostReason } = entry.values;
  const at = { kind, ...entry };
  if (kind !== "task" && kind !== "opportunity") return;
  const open = kind === "task" ? "pending" : "open";
  if (status === open && closedAt !== null) {
    report(at, "/closedAt", "not_an_option", `closedAt must be null while the status is ${open}.`);
  }
  if (kind === "task") return;
  for (const [name, id] of Object.entries({ pipelineId, stageId })) {
    if (id === null) report(at, `/${name}`, "required", `${name} is required in a tenant file.`);
  }
  const stage = byId.get(`stage${String(stageId)}`);
  if (stage !== undefined && stage.values.pipelineId !== pipelineId) {
    report(at, "/stageId", "not_in_pipeline", "stageId must be a stage of the pipeline that pipelineId names.");
  }
  for (const [index, id] of (entry.values.contactIds as string[]).entries()) {
    if ((entry.values.contactIds as string[]).indexOf(id) === index) continue;
    report(at, `/contactIds/${index}`, "not_an_option", "This contact is named twice.");
  }
  if (lostReason !== null && status !== "lost") {
    report(at, "/lostReason", "not_an_option", "lostReason must be null unless the status is lost.");
  }
}

function checkCatalogEntry(entry: TenantFileEntry, report: Report): void {
  const { type, options, maxLength, optionLabels } = entry.values;
  const isList = type === "list" || type === "multi_list";
  if (isList && options === null) report(entry, "/options", "required", `A field of type ${type} needs options.`);
  if (!isList && options !== null) report(entry, "/options", "unknown_key", `A field of type ${type} has no options.`);
  if (type !== "text" && maxLength !== null) {
    report(entry, "/maxLength", "unknown_key", `A field of type ${type} has no maxLength.`);
  }
  // In an export the options may have moved on, and labels may name ones that are gone.
  if (entry.isExported) return;
  const taken = new Map<string, string>();
  for (const [index, option] of ((options as string[] | null) ?? []).entries()) {
    const other = taken.get(normalizeCase(option));
    if (other === undefined) taken.set(normalizeCase(option), option);
    else
      report(
        entry,
        `/options/${index}`,
        "not_an_option",
        `This is the option ${quote(other)} again; case does not count.`,
      );
  }
  for (const option of Object.keys(optionLabels ?? {})) {
    if ((options as string[] | null)?.includes(option) === true) continue;
    const path = pointer(["optionLabels", option]);
    report(entry, path, "not_an_option", "optionLabels must name options of this field only.");
  }
}

function checkRule(entry: TenantFileEntry, entries: readonly TenantFileEntry[], report: Report): void {
  const { entity, field, when } = entry.values;
  const [built, key] = String(field).split(/\.(.*)/);
  const isInCatalog = entries.some((each) => {
    const { kind, values } = each;
    return kind === "customField" && !isArchived(each) && values.entity === entity && values.key === key;
  });
  const custom = isInCatalog || (entry.isExported && key !== undefined);
  const { fields } = models[entity as Kind] as Model;
  const known = key === undefined && built !== "customFields" && Object.hasOwn(fields, built ?? "");
  if (!(known || (built === "customFields" && custom))) {
    report(entry, "/field", "not_found", `${entity} has no field ${String(field)}.`);
  }
  if (known && fields[String(built)]?.readOnly === true) {
    const message = `${built} is set by the service, so nobody could do what this rule requires.`;
    report(entry, "/field", "read_only", message);
  }
  if (when !== null && entity !== "opportunity") {
    report(entry, "/when", "not_an_option", "Only opportunities have stages and statuses to require a field at.");
  }
  // A tenant that has such a rule already keeps it.
  if (when !== null && !entry.isExported) checkWhen(entry, when as When, report);
  const { stageIds } = (when ?? {}) as When;
  for (const [index, id] of (stageIds ?? []).entries()) {
    if (entries.some(({ kind, id: other }) => kind === "stage" && other === id)) continue;
    report(entry, `/when/stageIds/${index}`, "not_found", `There is no stage ${id} in this file.`);
  }
}

type When = { readonly stageIds?: readonly string[]; readonly statuses?: readonly string[] };

/** A rule that names no stage and no status is never asked. */
function checkWhen(entry: TenantFileEntry, { stageIds, statuses }: When, report: Report): void {
  if (stageIds === undefined && statuses === undefined) {
    const message = "when names neither stageIds nor statuses. Leave it out where the field is always required.";
    report(entry, "/when", "required", message);
  }
  for (const [name, list] of Object.entries({ stageIds, statuses })) {
    if (list?.length !== 0) continue;
    const message = `${name} is empty, so this rule is never asked. Name one, or leave ${name} out.`;
    report(entry, `/when/${name}`, "required", message);
  }
}

function checkKey(entry: TenantFileEntry, entries: readonly TenantFileEntry[], now: number, report: Report): void {
  const { integrationId, hash, maskedKey } = entry.values;
  if (typeof hash !== "string" || typeof maskedKey !== "string") {
    report(entry, "/key", "required", "A key is given by its value (key), or by hash and maskedKey.");
    return;
  }
  const active = entries.filter(({ kind, values }) => {
    const isOwn = kind === "apiKey" && values.integrationId === integrationId;
    return isOwn && apiKeyStatus(values as Pick<ApiKey, "expiresAt" | "revokedAt">, now) === "active";
  });
  if (active.indexOf(entry) >= 2) {
    report(entry, "", "out_of_range", "An integration has at most 2 active keys; this one is too many.");
  }
}

function isArchived({ times }: TenantFileEntry): boolean {
  return (times.archivedAt ?? null) !== null;
}

function checkPipeline(entry: TenantFileEntry, entries: readonly TenantFileEntry[], report: Report): void {
  const stages = entries.filter(({ kind, values }) => kind === "stage" && values.pipelineId === entry.id);
  if (stages.length === 0) report(entry, "/stages", "required", "A pipeline needs at least one stage.");
}

function customFindings(
  entry: TenantFileEntry,
  catalogs: ReadonlyMap<unknown, readonly CustomField[]>,
): ValidationIssue[] {
  const sent = entry.values.customFields as CustomFieldValues | undefined;
  if (sent === undefined) return [];
  const catalog = catalogs.get(entry.kind) ?? [];
  const findings = entry.isExported ? validateStoredValues(sent) : mergeCustomFieldValues(catalog, sent, {}).findings;
  return findings.map(({ kind, problem }) => {
    return { kind, problem: { ...problem, path: entry.path + problem.path } };
  });
}
