import * as v from "valibot";
import { type CustomFieldValues, customFieldKey } from "../model/custom-field.ts";
import type { FieldError, ValidationIssue } from "../model/errors.ts";
import { quote } from "../model/suggest.ts";
import { jsonPointer } from "../model/validate.ts";

/**
 * Validates the custom field values of an exported record. They don't have to match the custom fields of the file,
 * which may have changed after the values were stored. Each value must be valid for some type of custom field.
 */
export function validateStoredCustomFields(values: CustomFieldValues): readonly ValidationIssue[] {
  return Object.entries(values).flatMap(([key, value]): ValidationIssue[] => {
    const path = jsonPointer(["customFields", key]);
    if (!v.is(customFieldKey, key)) {
      const problem: FieldError = {
        path,
        code: "unknown_key",
        message: `${quote(key)} isn't a valid key of a custom field.`,
      };
      return [{ kind: "unknown_custom_field", problem }];
    }
    if (isCustomFieldValue(value)) return [];
    const message = `customFields.${key} must be a text, a number, a list of texts, or an amount with a currency.`;
    return [{ kind: "invalid_custom_field", problem: { path, code: "invalid_type", message } }];
  });
}

function isCustomFieldValue(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0");
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every((entry) => typeof entry === "string" && isCustomFieldValue(entry));
  return v.is(money, value);
}

/** Accepts any currency code, because the list of currencies may have changed. */
const money = v.strictObject({
  amount: v.pipe(v.number(), v.finite()),
  currency: v.pipe(v.string(), v.regex(/^[A-Z]{3}$/)),
});
