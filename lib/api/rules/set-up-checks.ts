import type { FieldError } from "../../model/errors.ts";
import { type Kind, models } from "../../model/kinds.ts";
import type { FieldValues, Model } from "../../model/model.ts";
import { normalizeCase } from "../../model/normalize.ts";
import { quote } from "../../model/suggest.ts";
import { jsonPointer } from "../../model/validate.ts";

/** Returns the errors of the members of a custom field that depend on its type. */
export function checkCustomFieldType({ type, maxLength, options = null }: FieldValues): readonly FieldError[] {
  const errors: FieldError[] = [];
  const isList = type === "list" || type === "multi_list";
  if (isList && ((options as readonly string[] | null) ?? []).length === 0)
    errors.push({ path: "/options", code: "required", message: `A field of type ${type} needs options.` });
  if (!isList && options !== null)
    errors.push({ path: "/options", code: "unknown_key", message: `A field of type ${type} can't have options.` });
  if (type !== "text" && (maxLength ?? null) !== null) {
    errors.push({ path: "/maxLength", code: "unknown_key", message: `A field of type ${type} can't have maxLength.` });
  }
  return errors;
}

/** Returns the errors of options that occur twice, and of labels without an option. */
export function checkOptions(values: FieldValues): readonly FieldError[] {
  const options = values.options as readonly string[] | null | undefined;
  const errors: FieldError[] = [];
  const optionByName = new Map<string, string>();
  for (const [index, option] of (options ?? []).entries()) {
    const other = optionByName.get(normalizeCase(option));
    if (other === undefined) optionByName.set(normalizeCase(option), option);
    else {
      const message = `This option duplicates ${quote(other)}. Case is ignored.`;
      errors.push({ path: `/options/${index}`, code: "not_an_option", message });
    }
  }
  for (const option of Object.keys(values.optionLabels ?? {})) {
    if (options?.includes(option) === true) continue;
    const message = "Labels are only allowed for options of the field.";
    errors.push({ path: jsonPointer(["optionLabels", option]), code: "not_an_option", message });
  }
  return errors;
}

/** Returns the error of a rule on a field that the entity doesn't have or that clients can't set. */
export function checkRuleField(
  { entity, field }: FieldValues,
  isCustomField: (key: string) => boolean,
): readonly FieldError[] {
  const [name = "", customKey] = String(field).split(/\.(.*)/);
  const { fields } = models[entity as Kind] as Model;
  const isField = customKey === undefined && name !== "customFields" && Object.hasOwn(fields, name);
  const isCustom = name === "customFields" && customKey !== undefined && isCustomField(customKey);
  if (!isField && !isCustom)
    return [{ path: "/field", code: "not_found", message: `${entity} has no field ${String(field)}.` }];
  if (!isField || fields[name]?.readOnly === undefined) return [];
  return [{ path: "/field", code: "read_only", message: `${name} is read-only, so it can't be required.` }];
}

/** The condition of a rule. */
export type RuleCondition = { readonly stageIds?: readonly string[]; readonly statuses?: readonly string[] };

/** Returns the errors of a condition that never applies. */
export function checkCondition({ stageIds, statuses }: RuleCondition): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (stageIds === undefined && statuses === undefined) {
    const message = "when needs stageIds or statuses. Omit it if the field is always required.";
    errors.push({ path: "/when", code: "required", message });
  }
  for (const [name, list] of Object.entries({ stageIds, statuses })) {
    if (list?.length !== 0) continue;
    const message = `${name} is empty, so the rule never applies. Add a value or omit ${name}.`;
    errors.push({ path: `/when/${name}`, code: "required", message });
  }
  return errors;
}

/**
 * Returns the error of a rule on `lostReason` that isn't only for the status `lost`. No other opportunity can have one.
 */
export function checkLostReasonRule({ entity, field, when }: FieldValues): readonly FieldError[] {
  const { statuses = [] } = (when ?? {}) as RuleCondition;
  const isForLost = statuses.length > 0 && statuses.every((status) => status === "lost");
  if (entity !== "opportunity" || field !== "lostReason" || isForLost) return [];
  const message = 'Only lost opportunities can have a lostReason. Set when to { "statuses": ["lost"] }.';
  return [{ path: "/when/statuses", code: "not_an_option", message }];
}

/** Returns the error of a condition of a rule that isn't for opportunities. */
export function checkConditionEntity({ entity, when }: FieldValues): readonly FieldError[] {
  if ((when ?? null) === null || entity === "opportunity") return [];
  return [{ path: "/when", code: "not_an_option", message: "when is only allowed for opportunities." }];
}
