import { mergeCustomFieldValues } from "../api/rules/custom-field-values.ts";
import { checkRecordSize } from "../api/rules/record-size.ts";
import type { CustomField, CustomFieldValues } from "../model/custom-field.ts";
import type { ValidationIssue } from "../model/errors.ts";
import { models } from "../model/kinds.ts";
import type { Model } from "../model/model.ts";
import { collectReferences } from "../model/references.ts";
import type { TenantFileEntry } from "./entries.ts";
import { type CheckContext, isArchived, kindChecks } from "./kind-checks.ts";
import { validateStoredCustomFields } from "./stored-custom-fields.ts";

/**
 * Returns the issues of the records of a file, except for their shape. Each path is a JSON Pointer into the file.
 * @param now current time in milliseconds
 */
export function validateEntries(entries: readonly TenantFileEntry[], now: number): readonly ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  const byId = new Map<string, TenantFileEntry>();
  const context: CheckContext = {
    entries,
    findEntry: (kind, id) => byId.get(`${kind} ${id}`),
    now,
    report: (entry, path, code, message) =>
      issues.push({ kind: "rule", problem: { path: entry.path + path, code, message } }),
  };
  for (const entry of entries) {
    const other = context.findEntry(entry.kind, entry.id);
    if (other !== undefined) context.report(entry, "/id", "not_an_option", `Duplicate of the id of ${other.path}.`);
    byId.set(`${entry.kind} ${entry.id}`, entry);
  }
  checkUniqueValues(context);
  const customFields = customFieldsByEntity(entries);
  for (const entry of entries) {
    checkTimes(entry, context);
    const tooLarge = checkRecordSize(entry.kind, entry.values, entry.values);
    if (tooLarge !== undefined) context.report(entry, tooLarge.path, tooLarge.code, tooLarge.message);
    checkReferences(entry, context);
    kindChecks[entry.kind]?.(entry, context);
    issues.push(...validateCustomFieldValues(entry, customFields));
  }
  return issues;
}

/** Returns the custom fields of each entity in the file, without archived ones. */
export function customFieldsByEntity(
  entries: readonly TenantFileEntry[],
): ReadonlyMap<unknown, readonly CustomField[]> {
  const fields = entries
    .filter((entry) => entry.kind === "customField" && !isArchived(entry))
    .map(({ values }) => values as unknown as CustomField);
  return Map.groupBy(fields, ({ entity }): unknown => entity);
}

function checkUniqueValues({ entries, report }: CheckContext): void {
  const firstByValue = new Map<string, TenantFileEntry>();
  for (const entry of entries) {
    // The hash of an API key is unique even among archived keys, because it identifies the tenant.
    if (entry.kind !== "apiKey" && isArchived(entry)) continue;
    for (const [path, value] of uniqueValues(entry)) {
      const name = `${entry.kind} ${path} ${value}`;
      const other = firstByValue.get(name);
      if (other === undefined) firstByValue.set(name, entry);
      else report(entry, path, "not_an_option", `Duplicate of the value in ${other.path}.`);
    }
  }
}

/** Returns the normalized values that no other record of the kind can have, each with its path in the entry. */
function uniqueValues({ kind, values, key }: TenantFileEntry): readonly (readonly [path: string, value: string])[] {
  const unique = Object.entries((models[kind] as Model).fields).flatMap(([name, field]): [string, string][] => {
    const value = values[name];
    const within = field.uniqueWithin === undefined ? "" : `${values[field.uniqueWithin]} `;
    return field.unique === undefined || typeof value !== "string" ? [] : [[`/${name}`, within + field.unique(value)]];
  });
  if (kind === "apiKey" && typeof values.hash === "string")
    unique.push([key === undefined ? "/hash" : "/key", values.hash]);
  if (kind === "pipeline" && values.isDefault === true) unique.push(["/isDefault", "default"]);
  return unique;
}

/** Latest time in a file. The tenant clock must be able to advance after it. */
const maxTime = Date.parse("9000-01-01T00:00:00.000Z");

function checkTimes(entry: TenantFileEntry, { report }: CheckContext): void {
  const { createdAt, updatedAt, archivedAt } = entry.times;
  for (const [name, at] of Object.entries(entry.times)) {
    if (at !== null && (at < 0 || at > maxTime)) {
      report(entry, `/${name}`, "out_of_range", `${name} must be between 1970 and 9000.`);
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

function checkReferences(entry: TenantFileEntry, { findEntry, report }: CheckContext): void {
  for (const { path, kind, id } of collectReferences(models[entry.kind], entry.values)) {
    if (findEntry(kind, id) === undefined) report(entry, path, "not_found", `The file contains no ${kind} ${id}.`);
  }
}

function validateCustomFieldValues(
  entry: TenantFileEntry,
  customFields: ReadonlyMap<unknown, readonly CustomField[]>,
): ValidationIssue[] {
  const values = entry.values.customFields as CustomFieldValues | undefined;
  if (values === undefined) return [];
  const issues = entry.isExported
    ? validateStoredCustomFields(values)
    : mergeCustomFieldValues(customFields.get(entry.kind) ?? [], values, {}).issues;
  return issues.map(({ kind, problem }) => ({ kind, problem: { ...problem, path: entry.path + problem.path } }));
}
