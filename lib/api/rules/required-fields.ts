import { type CustomField, defaultMaxLength } from "../../model/custom-field.ts";
import type { FieldError, ValidationIssue } from "../../model/errors.ts";
import type { FieldValues } from "../../model/model.ts";
import { quote } from "../../model/suggest.ts";
import type { Rule } from "../../model/tenant.ts";
import { pointer } from "../../model/validate.ts";

type Requirement = { readonly code: FieldError["code"]; readonly where: string };

/** What a message can say beyond ids: the custom fields of the kind, and the stage that the record is or comes to. */
export type RequirementContext = { readonly catalog: readonly CustomField[]; readonly stageName: string | undefined };

/**
 * The fields that the tenant requires and this record lacks, all of them. A rule is asked when a record is made, when
 * it enters the stage or status, and when the field is cleared; an unrelated change of an old record is let through.
 * A rule with both stages and statuses holds at each of them.
 */
export function checkRequiredFields(
  rules: readonly Rule[],
  after: FieldValues,
  before: FieldValues | undefined,
  { catalog, stageName }: RequirementContext,
): ValidationIssue[] {
  return rules.flatMap((rule): ValidationIssue[] => {
    if (!isMissing(fieldOf(rule, after))) return [];
    const cleared = before !== undefined && !isMissing(fieldOf(rule, before));
    const demand = demandOf(rule, after, cleared ? undefined : before, stageName);
    const [name = "", key] = rule.field.split(/\.(.*)/);
    const field = catalog.find((each) => each.key === key);
    return demand === undefined ? [] : [missing(key === undefined ? [name] : [name, key], demand, field)];
  });
}

/** The custom fields that every new record must have and this one lacks. */
export function checkRequiredCustomFields(catalog: readonly CustomField[], after: FieldValues): ValidationIssue[] {
  const values = after.customFields as FieldValues;
  const lacking = catalog.filter(({ key, required }) => required && isMissing(own(values, key)));
  return lacking.map((field) => missing(["customFields", field.key], { code: "required", where: "" }, field));
}

/** Why the rule applies now, or undefined where it does not. `before` is absent where it counts from anew. */
function demandOf(
  { when }: Rule,
  after: FieldValues,
  before: FieldValues | undefined,
  stageName: string | undefined,
): Requirement | undefined {
  if (when === null) return before === undefined ? { code: "required", where: "" } : undefined;
  const enters = (field: string, places: readonly string[] | undefined): boolean =>
    places?.includes(String(after[field])) === true && before?.[field] !== after[field];
  if (enters("stageId", when.stageIds)) {
    const where = stageName === undefined ? " at this stage" : ` at the stage ${quote(stageName)}`;
    return { code: "required_at_stage", where };
  }
  return enters("status", when.statuses)
    ? { code: "required_at_status", where: ` when the status is ${String(after.status)}` }
    : undefined;
}

function missing(
  path: readonly string[],
  { code, where }: Requirement,
  field: CustomField | undefined,
): ValidationIssue {
  const what = field === undefined ? "" : `, as ${formOf(field)}`;
  const problem = { path: pointer(path), code, message: `${path.join(".")} is required${where}${what}.` };
  const allowed = field?.options ?? null;
  return { kind: "rule", problem: allowed === null ? problem : { ...problem, allowed } };
}

/** What belongs into a custom field, for people. */
function formOf({ type, maxLength, options }: CustomField): string {
  const words = (options ?? []).slice(0, 20).join(", ");
  switch (type) {
    case "text":
      return `a text of at most ${maxLength ?? defaultMaxLength} characters`;
    case "number":
      return "a number";
    case "currency":
      return 'a number or { "amount": number, "currency": code }';
    case "date":
      return "a day (YYYY-MM-DD)";
    case "list":
      return `one of: ${words}`;
    case "multi_list":
      return `a list of some of: ${words}`;
  }
}

function fieldOf({ field }: Rule, values: FieldValues): unknown {
  const [name = "", key] = field.split(/\.(.*)/);
  const value = own(values, name);
  return key === undefined ? value : own((value ?? {}) as FieldValues, key);
}

/** A member that the object has itself: every object answers to "constructor". */
function own(values: FieldValues, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** Nothing, or a list or object with nothing in it. */
function isMissing(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === undefined || value === null || value === "";
  return Object.values(value).every(isMissing);
}
