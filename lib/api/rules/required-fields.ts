import { type CustomField, defaultMaxLength } from "../../model/custom-field.ts";
import type { FieldError, ValidationIssue } from "../../model/errors.ts";
import type { FieldValues } from "../../model/model.ts";
import { quote } from "../../model/suggest.ts";
import type { Rule } from "../../model/tenant.ts";
import { jsonPointer } from "../../model/validate.ts";

/** The code of a missing field, and the condition under which it is required. */
type Requirement = { readonly code: FieldError["code"]; readonly condition: string };

/** Context for messages: the custom fields of the kind, and the name of the stage after the write. */
type MessageContext = { readonly catalog: readonly CustomField[]; readonly stageName: string | undefined };

/**
 * Returns an issue for each missing field that a rule of the tenant requires. A rule applies if the record is created,
 * if it enters the stage or status, and if the field is cleared. Unrelated changes of existing records are accepted.
 */
export function checkRequiredFields(
  rules: readonly Rule[],
  after: FieldValues,
  before: FieldValues | undefined,
  { catalog, stageName }: MessageContext,
): ValidationIssue[] {
  const found = rules.flatMap((rule): ValidationIssue[] => {
    if (!isMissing(fieldOf(rule, after))) return [];
    const isCleared = before !== undefined && !isMissing(fieldOf(rule, before));
    const requirement = requirementOf(rule, after, isCleared ? undefined : before, stageName);
    const [name = "", key] = rule.field.split(/\.(.*)/);
    const field = catalog.find((each) => each.key === key);
    return requirement === undefined ? [] : [missing(key === undefined ? [name] : [name, key], requirement, field)];
  });
  // Several rules can require a field. The error has the widest condition.
  const widestFirst = found.toSorted((a, b) => codes.indexOf(a.problem.code) - codes.indexOf(b.problem.code));
  return [...Map.groupBy(widestFirst, ({ problem }) => problem.path).values()].flatMap(([first]) => first ?? []);
}

const codes: readonly FieldError["code"][] = ["required", "required_at_stage", "required_at_status"];

/** Returns an issue for each required custom field that is missing. */
export function checkRequiredCustomFields(catalog: readonly CustomField[], after: FieldValues): ValidationIssue[] {
  const values = after.customFields as FieldValues;
  const missingFields = catalog.filter(({ key, required }) => required && isMissing(ownMember(values, key)));
  return missingFields.map((field) => missing(["customFields", field.key], { code: "required", condition: "" }, field));
}

/** Returns the requirement of a rule. Undefined if the rule doesn't apply to this change. */
function requirementOf(
  { when }: Rule,
  after: FieldValues,
  before: FieldValues | undefined,
  stageName: string | undefined,
): Requirement | undefined {
  if (when === null) return before === undefined ? { code: "required", condition: "" } : undefined;
  const stage = stageName === undefined ? " at this stage" : ` at stage ${quote(stageName)}`;
  const conditions = [
    { code: "required_at_stage", field: "stageId", values: when.stageIds, text: stage },
    { code: "required_at_status", field: "status", values: when.statuses, text: ` if the status is ${after.status}` },
  ] as const;
  const defined = conditions.filter(({ values }) => values !== undefined);
  const isMet = defined.every(({ field, values }) => (values as readonly unknown[]).includes(after[field]));
  const entered = defined.find(({ field }) => before?.[field] !== after[field]);
  if (!isMet || entered === undefined) return undefined;
  return { code: entered.code, condition: defined.map(({ text }) => text).join("") };
}

function missing(
  path: readonly string[],
  { code, condition }: Requirement,
  field: CustomField | undefined,
): ValidationIssue {
  const type = field === undefined ? "" : ` (${describeType(field)})`;
  const problem = { path: jsonPointer(path), code, message: `${path.join(".")} is required${condition}${type}.` };
  const allowed = field?.options ?? null;
  return { kind: "rule", problem: allowed === null ? problem : { ...problem, allowed } };
}

/** Describes the values of a custom field. */
function describeType({ type, maxLength, options }: CustomField): string {
  const list = (options ?? []).slice(0, 20).join(", ");
  switch (type) {
    case "text":
      return `text, at most ${maxLength ?? defaultMaxLength} characters`;
    case "number":
      return "number";
    case "currency":
      return 'number or { "amount": number, "currency": code }';
    case "date":
      return "date, YYYY-MM-DD";
    case "list":
      return `one of: ${list}`;
    case "multi_list":
      return `list of: ${list}`;
  }
}

function fieldOf({ field }: Rule, values: FieldValues): unknown {
  const [name = "", key] = field.split(/\.(.*)/);
  const value = ownMember(values, name);
  return key === undefined ? value : ownMember((value ?? {}) as FieldValues, key);
}

/** Returns a member, but not an inherited one such as "constructor". */
function ownMember(values: FieldValues, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** Returns whether a value is undefined, null or only whitespace, or an object or list of such values. */
function isMissing(value: unknown): boolean {
  if (typeof value === "string") return value.trim() === "";
  if (typeof value !== "object" || value === null) return value === undefined || value === null;
  return Object.values(value).every(isMissing);
}
