import * as v from "valibot";
import { type CustomFieldValues, customFieldKey } from "../model/custom-field.ts";
import type { FieldError, ValidationIssue } from "../model/errors.ts";
import { quote } from "../model/suggest.ts";
import { pointer } from "../model/validate.ts";

/**
 * What is wrong with the custom values of an export: its fields may have got other keys, types and options since the
 * values were stored, or gone. What no catalogue has ever let in is refused all the same.
 */
export function validateStoredValues(values: CustomFieldValues): readonly ValidationIssue[] {
  return Object.entries(values).flatMap(([key, value]): ValidationIssue[] => {
    const path = pointer(["customFields", key]);
    if (!v.is(customFieldKey, key)) {
      const problem: FieldError = { path, code: "unknown_key", message: `No custom field has the key ${quote(key)}.` };
      return [{ kind: "unknown_custom_field", problem }];
    }
    if (isOfSomeType(value)) return [];
    const message = `customFields.${key} must be a value of one of the types that custom fields have.`;
    return [{ kind: "invalid_custom_field", problem: { path, code: "invalid_type", message } }];
  });
}

function isOfSomeType(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0");
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every((entry) => typeof entry === "string" && isOfSomeType(entry));
  return v.is(money, value);
}

/** A currency that the list of them has no more is one still. */
const money = v.strictObject({
  amount: v.pipe(v.number(), v.finite()),
  currency: v.pipe(v.string(), v.regex(/^[A-Z]{3}$/)),
});
