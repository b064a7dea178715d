import { isCurrency, suggestCurrency } from "../../model/currency.ts";
import { type CustomField, type CustomFieldValues, defaultMaxLength } from "../../model/custom-field.ts";
import { describeDateProblem, isCalendarDate } from "../../model/date-time.ts";
import type { FieldError, ValidationIssue } from "../../model/errors.ts";
import { exactNumberLimits, inexactNumberMessage } from "../../model/exact-number.ts";
import type { FieldValues } from "../../model/model.ts";
import { normalizeCase } from "../../model/normalize.ts";
import { closest, maxSuggestions, quote, withSuggestion } from "../../model/suggest.ts";
import { jsonPointer } from "../../model/validate.ts";
import { deepEqual } from "./record-diff.ts";

/** Maximum number of UTF-16 units that normalize to one unit. A longer value can't match an option. */
const maxUnitsPerNormalizedUnit = 8;
/**
 * After this many errors, which is more than a response reports, case is no longer ignored in options. It bounds the
 * work.
 */
const maxNormalizedErrors = 50;

/** An error of a value, or of the list entry at `index`. */
type ValueError = Omit<FieldError, "path"> & { readonly index?: number };
/** The value to store, or its errors. */
type ParsedValue = { readonly value: unknown } | { readonly errors: readonly ValueError[] };

/**
 * Merges the custom field values of a request into the stored values. Null deletes a value, even if the field is no
 * longer in the catalog. A value that equals the stored value is accepted, even if the catalog has changed.
 */
export function mergeCustomFieldValues(
  catalog: readonly CustomField[],
  sent: CustomFieldValues,
  stored: CustomFieldValues,
): { values: CustomFieldValues; issues: readonly ValidationIssue[] } {
  const fields = new Map(catalog.map((field) => [field.key, field]));
  const values: Record<string, unknown> = { ...stored };
  const issues: ValidationIssue[] = [];
  for (const [key, value] of Object.entries(sent)) {
    const field = fields.get(key);
    if (Object.hasOwn(stored, key) && deepEqual(value, stored[key])) continue;
    if (field === undefined && value === null && Object.hasOwn(stored, key)) {
      delete values[key];
      continue;
    }
    if (field === undefined) {
      const suggestion = issues.length < maxSuggestions ? closest(key, [...fields.keys()]) : undefined;
      const problem = {
        path: jsonPointer(["customFields", key]),
        code: "unknown_key",
        ...withSuggestion(`Unknown custom field ${quote(key)}.`, suggestion),
        allowed: [...fields.keys()],
      } as const;
      issues.push({ kind: "unknown_custom_field", problem });
      continue;
    }
    const merged = field.type === "currency" ? mergeMembers(value, stored[key]) : value;
    const parsed = parseValue(field, merged, issues.length);
    if ("errors" in parsed) for (const error of parsed.errors) issues.push(toIssue(key, error));
    else if (parsed.value === null) delete values[key];
    else values[key] = parsed.value;
  }
  return { values, issues };
}

/** Returns the members of an object merged into those of the stored object. Null removes a member. */
function mergeMembers(value: unknown, stored: unknown): unknown {
  if (!isPlainObject(value) || !isPlainObject(stored)) return value;
  return Object.fromEntries(Object.entries({ ...stored, ...value }).filter(([, member]) => member !== null));
}

function isPlainObject(value: unknown): value is FieldValues {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toIssue(key: string, { index, ...problem }: ValueError): ValidationIssue {
  const path = jsonPointer(["customFields", key, ...(index === undefined ? [] : [index])]);
  return { kind: "invalid_custom_field", problem: { path, ...problem } };
}

/** @param errorCount number of errors so far, which bounds the work for this field */
function parseValue(field: CustomField, value: unknown, errorCount: number): ParsedValue {
  const text = field.type === "text" && typeof value === "string" ? value : undefined;
  if (field.required && text?.trim() === "") return invalid("required", field, "is required and must not be empty");
  if (value === null || text === "")
    return field.required ? invalid("required", field, "is required and can't be removed") : { value: null };
  switch (field.type) {
    case "text":
      return parseText(field, value);
    case "number":
      if (typeof value !== "number") return invalid("invalid_type", field, "must be a number");
      return Number.isFinite(value) ? { value } : inexact(field);
    case "currency":
      return parseCurrency(field, value);
    case "date":
      if (typeof value !== "string") return invalid("invalid_type", field, "must be a date as YYYY-MM-DD");
      return isCalendarDate(value) ? { value } : invalid("invalid_format", field, describeDateProblem(value));
    case "list":
      if (typeof value !== "string") return invalid("invalid_type", field, "must be one of its options, as a string");
      return parseOption(field, value, errorCount);
    case "multi_list":
      if (!Array.isArray(value)) return invalid("invalid_type", field, "must be a list of its options");
      return value.length === 0 ? parseValue(field, null, errorCount) : parseOptions(field, value, errorCount);
  }
}

function parseText(field: CustomField, value: unknown): ParsedValue {
  if (typeof value !== "string") return invalid("invalid_type", field, "must be a string");
  if (!value.isWellFormed() || value.includes("\0")) {
    return invalid("invalid_format", field, "must be valid Unicode without NUL characters");
  }
  const maxLength = field.maxLength ?? defaultMaxLength;
  // A text has at most as many characters as UTF-16 units.
  if (value.length <= maxLength) return { value };
  let length = 0;
  for (const _ of value) length++;
  if (length <= maxLength) return { value };
  const predicate = `must be at most ${maxLength} characters long; the value has ${length}`;
  return invalid("too_long", field, predicate, undefined, { limits: { maxLength } });
}

/** Returns the value in the form of the request: a number remains a number. */
function parseCurrency(field: CustomField, value: unknown): ParsedValue {
  const isObject = isPlainObject(value);
  const { amount, currency, ...rest } = (isObject ? value : { amount: value, currency: "EUR" }) as FieldValues;
  if (typeof amount !== "number" || typeof currency !== "string" || Object.keys(rest).length > 0) {
    return invalid("invalid_type", field, 'must be a number or { "amount": number, "currency": code }');
  }
  if (!Number.isFinite(amount)) return inexact(field);
  if (!isObject) return { value };
  const code = currency.toUpperCase();
  if (isCurrency(code)) return { value: { amount, currency: code } };
  const predicate = `must have an ISO 4217 currency such as EUR, not ${quote(currency)}`;
  return invalid("invalid_format", field, predicate, suggestCurrency(currency));
}

/** Ignores case, and returns the spelling in the catalog. */
function parseOption(field: CustomField, value: string, errorCount: number): ParsedValue {
  const option = optionFinder(field)(value, errorCount > maxNormalizedErrors);
  return option === undefined
    ? { errors: [optionError(field, value, errorCount < maxSuggestions)] }
    : { value: option };
}

/** Removes duplicates. Reports each invalid entry with its index. */
function parseOptions(field: CustomField, values: readonly unknown[], errorCount: number): ParsedValue {
  const find = optionFinder(field);
  const found = new Set<string>();
  const errors: ValueError[] = [];
  for (const [index, value] of values.entries()) {
    const total = errorCount + errors.length;
    const option = typeof value === "string" ? find(value, total > maxNormalizedErrors) : undefined;
    if (option !== undefined) found.add(option);
    // The response only counts further errors.
    else errors.push(errors[maxNormalizedErrors] ?? optionError(field, value, total < maxSuggestions, index));
  }
  return errors.length > 0 ? { errors } : { value: [...found] };
}

/**
 * Returns a function that finds the option of a text: an equal one or, unless `exactly`, the first that differs only in
 * case.
 */
function optionFinder({ options }: CustomField): (value: string, exactly?: boolean) => string | undefined {
  const exact = new Set(options);
  let normalized: ReadonlyMap<string, string> | undefined;
  let maxLength = 0;
  return (value, exactly = false) => {
    if (exact.has(value)) return value;
    if (exactly) return undefined;
    if (normalized === undefined) {
      normalized = new Map(options?.toReversed().map((option) => [normalizeCase(option), option]));
      for (const { length } of normalized.keys()) maxLength = Math.max(maxLength, maxUnitsPerNormalizedUnit * length);
    }
    return value.length > maxLength ? undefined : normalized.get(normalizeCase(value));
  };
}

function optionError(field: CustomField, value: unknown, hasSuggestion: boolean, index?: number): ValueError {
  const name = `customFields.${field.key}${index === undefined ? "" : `.${index}`}`;
  const position = index === undefined ? {} : { index };
  if (typeof value !== "string") {
    return { ...position, code: "invalid_type", message: `${name} must be one of the field's options, as a string.` };
  }
  const options = field.options ?? [];
  const suggestion = hasSuggestion ? closest(value, options) : undefined;
  const message = `${name} must be one of: ${options.slice(0, 20).join(", ")}.`;
  return { ...position, code: "not_an_option", ...withSuggestion(message, suggestion), allowed: options };
}

function inexact(field: CustomField): ParsedValue {
  return invalid("out_of_range", field, inexactNumberMessage, undefined, { limits: exactNumberLimits });
}

function invalid(
  code: FieldError["code"],
  field: CustomField,
  predicate: string,
  suggestion?: string,
  limits: Pick<FieldError, "limits"> = {},
): ParsedValue {
  const message = `customFields.${field.key} ${predicate}.`;
  return { errors: [{ code, ...withSuggestion(message, suggestion), ...limits }] };
}
