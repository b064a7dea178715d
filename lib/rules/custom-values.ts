import type { Finding, Problem } from "../errors.ts";
import { pointer } from "../input/check.ts";
import { didYouMean, shown } from "../input/hint.ts";
import { isCalendarDate } from "../input/scalars.ts";
import { currencyHint, isCurrency } from "../records/currency.ts";
import { type CustomField, type CustomFieldValues, maxLengthDefault } from "../records/custom-field.ts";
import { same, type Values } from "./change.ts";

/** A value as it is stored, or why it is not one. */
type Outcome = { readonly value: unknown } | Omit<Problem, "path">;

/**
 * The custom field values of a record once those sent are merged into those stored, and what is wrong with them.
 * Null deletes, also where the field has gone from the catalogue. A value sent back as it is stored is accepted even
 * where the catalogue has moved on since.
 */
export function mergeCustomValues(
  catalog: readonly CustomField[],
  sent: CustomFieldValues,
  stored: CustomFieldValues,
): { values: CustomFieldValues; findings: readonly Finding[] } {
  const fields = new Map(catalog.map((field) => [field.key, field]));
  const values: Record<string, unknown> = { ...stored };
  const findings: Finding[] = [];
  for (const [key, value] of Object.entries(sent)) {
    const path = pointer(["customFields", key]);
    const field = fields.get(key);
    if (Object.hasOwn(stored, key) && same(value, stored[key])) continue;
    if (field === undefined && value === null && Object.hasOwn(stored, key)) {
      delete values[key];
      continue;
    }
    if (field === undefined) {
      const message = `There is no custom field ${shown(key)}.${didYouMean(key, [...fields.keys()])}`;
      findings.push({ kind: "unknown_custom_field", problem: { path, code: "unknown_key", message } });
      continue;
    }
    const outcome = outcomeOf(field, value);
    if (!("value" in outcome)) findings.push({ kind: "invalid_custom_field", problem: { path, ...outcome } });
    else if (outcome.value === null) delete values[key];
    else values[key] = outcome.value;
  }
  return { values, findings };
}

function outcomeOf(field: CustomField, value: unknown): Outcome {
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
      return optionOutcome(field, value);
    case "multi_list":
      return listOutcome(field, value);
  }
}

function textOutcome(field: CustomField, value: unknown): Outcome {
  if (typeof value !== "string") return fault("invalid_type", field, "must be a string");
  if (!value.isWellFormed() || value.includes("\0")) {
    return fault("invalid_format", field, "must be valid Unicode without NUL characters");
  }
  const lengthMax = field.maxLength ?? maxLengthDefault;
  const length = Array.from(value).length;
  if (length <= lengthMax) return { value };
  return fault("too_long", field, `must be at most ${lengthMax} characters long; this has ${length}`);
}

/** The shape that was written comes back: a bare number stays one. */
function currencyOutcome(field: CustomField, value: unknown): Outcome {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const { amount, currency, ...rest } = (isObject ? value : { amount: value, currency: "EUR" }) as Values;
  if (typeof amount !== "number" || typeof currency !== "string" || Object.keys(rest).length > 0) {
    return fault("invalid_type", field, 'must be a number or { "amount": number, "currency": code }');
  }
  if (!Number.isFinite(amount)) return fault("out_of_range", field, "must be a finite number");
  if (!isObject) return { value };
  if (isCurrency(currency)) return { value: { amount, currency } };
  const predicate = `needs an ISO 4217 currency such as EUR, not ${shown(currency)}`;
  return fault("invalid_format", field, predicate, currencyHint(currency));
}

/** Compared without regard to case; the catalogue's spelling is what is stored. */
function optionOutcome(field: CustomField, value: string): Outcome {
  const options = field.options ?? [];
  const option = options.find((each) => each.toLowerCase() === value.toLowerCase());
  if (option !== undefined) return { value: option };
  const predicate = `must be one of: ${options.slice(0, 20).join(", ")}`;
  return { ...fault("not_an_option", field, predicate, didYouMean(value, options)), allowed: options };
}

/** Repeats are dropped; an empty list clears the field. */
function listOutcome(field: CustomField, value: unknown): Outcome {
  if (!Array.isArray(value) || value.some((each) => typeof each !== "string")) {
    return fault("invalid_type", field, "must be a list of its options");
  }
  if (value.length === 0) return outcomeOf(field, null);
  const outcomes = value.map((each: string) => optionOutcome(field, each));
  const wrong = outcomes.find((outcome) => !("value" in outcome));
  if (wrong !== undefined) return wrong;
  return { value: [...new Set(outcomes.map((outcome) => ("value" in outcome ? outcome.value : undefined)))] };
}

function fault(code: Problem["code"], field: CustomField, predicate: string, hint = ""): Omit<Problem, "path"> {
  return { code, message: `customFields.${field.key} ${predicate}.${hint}` };
}
