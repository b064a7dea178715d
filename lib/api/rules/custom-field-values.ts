import { isCurrency, suggestCurrency } from "../../model/currency.ts";
import { type CustomField, type CustomFieldValues, defaultMaxLength } from "../../model/custom-field.ts";
import type { FieldError, ValidationIssue } from "../../model/errors.ts";
import type { FieldValues } from "../../model/model.ts";
import { normalizeCase } from "../../model/normalize.ts";
import { isCalendarDate } from "../../model/scalars.ts";
import { didYouMean, maxSuggestions, quote } from "../../model/suggest.ts";
import { pointer } from "../../model/validate.ts";
import { deepEqual } from "./record-diff.ts";

/** A folded sign has been no more units of UTF-16 than these in any of its spellings: a letter with three marks has four. */
const spellingMax = 8;
/** After so many errors, which is more than a response has room for, options are compared as spelled. */
const maxFoldedErrors = 50;

/** What is wrong with a value, or with the entry of a list that stands there. */
type Fault = Omit<FieldError, "path"> & { readonly at?: number };
/** A value as it is stored, or everything that is wrong with it. */
type Outcome = { readonly value: unknown } | { readonly faults: readonly Fault[] };

/**
 * The custom field values of a record once those sent are merged into those stored, and what is wrong with them.
 * Null deletes, also where the field has gone from the catalogue. A value sent back as it is stored is accepted even
 * where the catalogue has moved on since.
 */
export function mergeCustomFieldValues(
  catalog: readonly CustomField[],
  sent: CustomFieldValues,
  stored: CustomFieldValues,
): { values: CustomFieldValues; findings: readonly ValidationIssue[] } {
  const fields = new Map(catalog.map((field) => [field.key, field]));
  const values: Record<string, unknown> = { ...stored };
  const findings: ValidationIssue[] = [];
  for (const [key, value] of Object.entries(sent)) {
    const field = fields.get(key);
    if (Object.hasOwn(stored, key) && deepEqual(value, stored[key])) continue;
    if (field === undefined && value === null && Object.hasOwn(stored, key)) {
      delete values[key];
      continue;
    }
    if (field === undefined) {
      const hint = findings.length < maxSuggestions ? didYouMean(key, [...fields.keys()]) : "";
      const problem = { code: "unknown_key", message: `There is no custom field ${quote(key)}.${hint}` } as const;
      findings.push({ kind: "unknown_custom_field", problem: { path: pointer(["customFields", key]), ...problem } });
      continue;
    }
    const outcome = outcomeOf(field, value, findings.length);
    if ("faults" in outcome) for (const fault of outcome.faults) findings.push(findingOf(key, fault));
    else if (outcome.value === null) delete values[key];
    else values[key] = outcome.value;
  }
  return { values, findings };
}

function findingOf(key: string, { at, ...problem }: Fault): ValidationIssue {
  const path = pointer(["customFields", key, ...(at === undefined ? [] : [at])]);
  return { kind: "invalid_custom_field", problem: { path, ...problem } };
}

/** @param errorCount the number of errors of the fields before, which bounds the work for this one */
function outcomeOf(field: CustomField, value: unknown, errorCount: number): Outcome {
  if (value === null || (value === "" && field.type === "text" && field.required)) {
    return field.required ? fault("required", field, "is required and cannot be removed") : { value };
  }
  switch (field.type) {
    case "text":
      return textOutcome(field, value);
    case "number":
      if (typeof value !== "number") return fault("invalid_type", field, "must be a number");
      return Number.isFinite(value) ? { value } : fault("out_of_range", field, "must be a finite number");
    case "currency":
      return currencyOutcome(field, value);
    case "date":
      if (typeof value !== "string") return fault("invalid_type", field, "must be a date as YYYY-MM-DD");
      return isCalendarDate(value)
        ? { value }
        : fault("invalid_format", field, "must be an existing day as YYYY-MM-DD");
    case "list":
      if (typeof value !== "string") return fault("invalid_type", field, "must be one of its options, as a string");
      return listOutcome(field, value, errorCount);
    case "multi_list":
      if (!Array.isArray(value)) return fault("invalid_type", field, "must be a list of its options");
      return value.length === 0 ? outcomeOf(field, null, errorCount) : optionsOutcome(field, value, errorCount);
  }
}

function textOutcome(field: CustomField, value: unknown): Outcome {
  if (typeof value !== "string") return fault("invalid_type", field, "must be a string");
  if (!value.isWellFormed() || value.includes("\0")) {
    return fault("invalid_format", field, "must be valid Unicode without NUL characters");
  }
  const lengthMax = field.maxLength ?? defaultMaxLength;
  // It has no more characters than units of UTF-16.
  if (value.length <= lengthMax) return { value };
  let length = 0;
  for (const _ of value) length++;
  if (length <= lengthMax) return { value };
  return fault("too_long", field, `must be at most ${lengthMax} characters long; this has ${length}`);
}

/** The shape that was written comes back: a bare number stays one. */
function currencyOutcome(field: CustomField, value: unknown): Outcome {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const { amount, currency, ...rest } = (isObject ? value : { amount: value, currency: "EUR" }) as FieldValues;
  if (typeof amount !== "number" || typeof currency !== "string" || Object.keys(rest).length > 0) {
    return fault("invalid_type", field, 'must be a number or { "amount": number, "currency": code }');
  }
  if (!Number.isFinite(amount)) return fault("out_of_range", field, "must be a finite number");
  if (!isObject) return { value };
  if (isCurrency(currency)) return { value: { amount, currency } };
  const predicate = `needs an ISO 4217 currency such as EUR, not ${quote(currency)}`;
  return fault("invalid_format", field, predicate, suggestCurrency(currency));
}

/** Compared without regard to case; the catalogue's spelling is what is stored. */
function listOutcome(field: CustomField, value: string, errorCount: number): Outcome {
  const option = optionFinder(field)(value, errorCount > maxFoldedErrors);
  return option === undefined
    ? { faults: [optionFault(field, value, errorCount < maxSuggestions)] }
    : { value: option };
}

/** Repeats are dropped. Every entry that is no option is told in its place; beyond what an answer names they only count. */
function optionsOutcome(field: CustomField, values: readonly unknown[], errorCount: number): Outcome {
  const find = optionFinder(field);
  const found = new Set<string>();
  const faults: Fault[] = [];
  for (const [at, value] of values.entries()) {
    // To fold thousands that are wrong would keep others waiting.
    const errors = errorCount + faults.length;
    const option = typeof value === "string" ? find(value, errors > maxFoldedErrors) : undefined;
    if (option !== undefined) found.add(option);
    else faults.push(faults[maxFoldedErrors] ?? optionFault(field, value, errors < maxSuggestions, at));
  }
  return faults.length > 0 ? { faults } : { value: [...found] };
}

/** The option that a text stands for: the one spelled so, or else, unless `asSpelled`, the first that differs from it in case alone. */
function optionFinder({ options }: CustomField): (value: string, asSpelled?: boolean) => string | undefined {
  const spelled = new Set(options);
  let folded: ReadonlyMap<string, string> | undefined;
  let lengthMax = 0;
  return (value, asSpelled = false) => {
    if (spelled.has(value)) return value;
    if (asSpelled) return undefined;
    if (folded === undefined) {
      folded = new Map(options?.toReversed().map((option) => [normalizeCase(option), option]));
      for (const { length } of folded.keys()) lengthMax = Math.max(lengthMax, spellingMax * length);
    }
    return value.length > lengthMax ? undefined : folded.get(normalizeCase(value));
  };
}

function optionFault(field: CustomField, value: unknown, hasHint: boolean, at?: number): Fault {
  const place = `customFields.${field.key}${at === undefined ? "" : `.${at}`}`;
  const found = at === undefined ? {} : { at };
  if (typeof value !== "string") {
    return { ...found, code: "invalid_type", message: `${place} must be one of the field's options, as a string.` };
  }
  const options = field.options ?? [];
  const hint = hasHint ? didYouMean(value, options) : "";
  const message = `${place} must be one of: ${options.slice(0, 20).join(", ")}.${hint}`;
  return { ...found, code: "not_an_option", message, allowed: options };
}

function fault(code: FieldError["code"], field: CustomField, predicate: string, hint = ""): Outcome {
  return { faults: [{ code, message: `customFields.${field.key} ${predicate}.${hint}` }] };
}
