import { currency } from "../../model/currency.ts";
import { type CustomField, defaultMaxLength, sortCatalog } from "../../model/custom-field.ts";
import { calendarDate } from "../../model/date-time.ts";
import { type JsonSchema, jsonSchemaOf } from "../../model/json-schema.ts";
import type { Kind } from "../../model/kinds.ts";
import type { Model } from "../../model/model.ts";
import type { Pipeline, Stage } from "../../model/pipeline.ts";
import { finiteNumber, unboundedText } from "../../model/scalars.ts";
import { createSchema, updateSchema } from "../../model/schemas.ts";
import type { Rule } from "../../model/tenant.ts";

/** The request that a body is for. */
export type BodyPurpose = {
  readonly action: "create" | "update";
  /** The stage of the opportunity after the request. Undefined if it can be any stage. */
  readonly stage?: Stage | undefined;
  readonly pipeline?: Pipeline | undefined;
  /** The status of the opportunity after the request. Undefined if it can be any status. */
  readonly status?: string | undefined;
  /** The members that a create gets if the body omits them. */
  readonly defaults?: { readonly stageId: string | undefined; readonly status: string };
};

type Properties = Readonly<Record<string, JsonSchema>>;

/** A member that is allowed in every request body. */
export const tenantIdMember: JsonSchema = {
  type: "string",
  format: "uuid",
  description: "ID of the caller's tenant. Optional. Any other ID returns 422.",
};

/** Returns the JSON Schema (2020-12) of the bodies that a tenant with these custom fields and rules accepts. */
export function bodySchema(
  model: Model<Kind>,
  catalog: readonly CustomField[],
  rules: readonly Rule[],
  purpose: BodyPurpose,
): JsonSchema {
  const isCreate = purpose.action === "create";
  const { properties = {}, ...base } = jsonSchemaOf((isCreate ? createSchema : updateSchema)(model), "request");
  const possible = Object.entries(properties as Properties).filter(([, { not }]) => not === undefined);
  const members: Record<string, JsonSchema> = { ...Object.fromEntries(possible), tenantId: tenantIdMember };
  if (model.fields.customFields !== undefined) members.customFields = customFieldsSchema(catalog);
  let schema: JsonSchema = { ...base, properties: members };
  schema = withState(schema, purpose);
  const fields = catalog.filter(({ required }) => required).map(({ key }) => `customFields.${key}`);
  const ruled = rules.filter((rule) => applies(rule, purpose)).map(({ field }) => field);
  for (const field of [...fields, ...ruled]) {
    const [name = "", ...key] = field.split(/\.(.*)/).slice(0, 2);
    schema = withField(schema, [name, ...key], isCreate && !hasDefault(model, name));
  }
  return { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema };
}

/** Returns the schema of `customFields` in a request, in the order of the catalog. */
export function customFieldsSchema(catalog: readonly CustomField[]): JsonSchema {
  const properties = sortCatalog(catalog).map((field) => [field.key, valueSchema(field)]);
  return {
    type: "object",
    description: "Custom field values by key. `null` removes a value.",
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
}

/** Returns the schema of the values of a custom field. All fields accept null here. */
function valueSchema(field: CustomField): JsonSchema {
  const { label, description, type, maxLength } = field;
  const about = { title: label, ...(description === null ? {} : { description }) };
  const orNull = { type: "null" } as const;
  switch (type) {
    case "text": {
      const text = jsonSchemaOf(unboundedText, "request");
      return { ...about, ...text, type: ["string", "null"], maxLength: maxLength ?? defaultMaxLength };
    }
    case "number":
      return { ...about, ...jsonSchemaOf(finiteNumber, "request"), type: ["number", "null"] };
    case "date":
      return { ...about, ...jsonSchemaOf(calendarDate, "request"), type: ["string", "null"] };
    case "currency": {
      const amount = jsonSchemaOf(finiteNumber, "request");
      const properties = { amount, currency: jsonSchemaOf(currency, "request") };
      const object = { type: "object", properties, required: ["amount", "currency"], additionalProperties: false };
      return { ...about, anyOf: [amount, object as JsonSchema, orNull] };
    }
    case "list":
      return { ...about, ...optionSchema(field, true) };
    case "multi_list":
      return { ...about, type: ["array", "null"], items: optionSchema(field, false) };
  }
}

/** Returns a value that a custom field accepts, for an example. */
export function sampleValue({ type, options, maxLength }: CustomField): unknown {
  const [option = ""] = options ?? [];
  const samples = {
    text: "Text".slice(0, maxLength ?? undefined),
    number: 1,
    date: "2026-12-31",
    currency: 1,
    list: option,
  };
  return type === "multi_list" ? [option] : samples[type];
}

/** Returns the schema of one option. Options with display names are annotated. */
function optionSchema({ options, optionLabels }: CustomField, isNullable: boolean): JsonSchema {
  const values = options ?? [];
  const none = isNullable ? [null] : [];
  const labels = new Map(Object.entries(optionLabels ?? {}));
  if (labels.size === 0 || values.length === 0) return oneOfValues([...values, ...none]);
  const annotated = values.map((option): JsonSchema => ({ const: option, title: labels.get(option) ?? option }));
  return { oneOf: [...annotated, ...none.map((): JsonSchema => ({ type: "null" }))] };
}

function oneOfValues(values: readonly (string | null)[]): JsonSchema {
  return values.length === 0 ? { not: {} } : { enum: [...values] };
}

/** Fixes the stage, the pipeline and the status, and the members that depend on them. */
function withState(schema: JsonSchema, { action, stage, pipeline, status, defaults }: BodyPurpose): JsonSchema {
  const fixed = { stageId: stage?.id, pipelineId: stage?.pipelineId, status };
  const omissible = { stageId: defaults?.stageId, pipelineId: stage?.pipelineId, status: defaults?.status };
  let result = schema;
  for (const [name, value] of Object.entries(fixed)) {
    if (value === undefined) continue;
    result = withMember(result, name, { const: value }, value !== omissible[name as keyof typeof omissible]);
  }
  if (status === undefined) return result;
  if (status !== "lost") {
    result = withMember(result, "lostReason", oneOfValues([null, ""]));
    return action === "create" && status === "open" ? withMember(result, "closedAt", { type: "null" }) : result;
  }
  const { lostReasons = [], requireLostReason = false } = pipeline ?? {};
  if (lostReasons.length > 0) result = withMember(result, "lostReason", oneOfValues([...lostReasons, null, ""]));
  return requireLostReason ? withField(result, ["lostReason"], action === "create") : result;
}

/** Adds constraints to a member, and makes it required if `isRequired`. */
function withMember(schema: JsonSchema, name: string, constraint: JsonSchema, isRequired = false): JsonSchema {
  const { properties = {}, required = [] } = schema;
  const member = Object.hasOwn(properties, name) ? (properties[name] as JsonSchema) : {};
  const { default: _, enum: _values, ...about } = member;
  const isFixed = "const" in constraint || "enum" in constraint;
  return {
    ...schema,
    properties: { ...properties, [name]: { ...(isFixed ? about : member), ...constraint } },
    ...(isRequired ? { required: [...new Set([...required, name])] } : {}),
  };
}

/** Whether a rule applies to every body for this purpose. */
function applies({ when }: Rule, { stage, status }: BodyPurpose): boolean {
  const isIn = (values: readonly string[] | undefined, value: string | undefined) =>
    values === undefined || (value !== undefined && values.includes(value));
  return when === null || (isIn(when.stageIds, stage?.id) && isIn(when.statuses, status));
}

/** Fields whose default depends on the tenant: its oldest admin, and the first stage of its default pipeline. */
const tenantDefaults = ["ownerId", "pipelineId", "stageId"];

/** Whether a new record gets a value for a field that the body omits. */
function hasDefault({ fields }: Model, name: string): boolean {
  return tenantDefaults.includes(name) || typeof fields[name]?.default === "string";
}

/** Rejects bodies that remove the value of the field with this path, and those that omit it if `isRequired`. */
function withField(schema: JsonSchema, [name = "", key]: readonly string[], isRequired: boolean): JsonSchema {
  const { properties = {} } = schema;
  const member = Object.hasOwn(properties, name) ? (properties[name] as JsonSchema) : { not: {} };
  const value = key === undefined ? withValue(member) : withField(member, [key], isRequired);
  return withMember({ ...schema, properties: { ...properties, [name]: value } }, name, {}, isRequired);
}

/** Returns the schema without null, texts of only whitespace, empty lists and objects without a value. */
function withValue(schema: JsonSchema): JsonSchema {
  const { type, enum: values, anyOf, oneOf, ...rest } = schema;
  const isValue = (each: unknown): boolean => (each as JsonSchema).type !== "null";
  if (anyOf !== undefined)
    return { ...rest, anyOf: anyOf.filter(isValue).map((each) => withValue(each as JsonSchema)) };
  if (oneOf !== undefined) return { ...rest, oneOf: oneOf.filter(isValue) };
  if (values !== undefined) {
    const { default: _, ...about } = rest;
    return { ...about, ...oneOfValues((values as (string | null)[]).filter((each) => each !== null && each !== "")) };
  }
  const [first, ...others] = [type].flat().filter((each) => each !== "null");
  if (first === undefined || others.length > 0) return schema;
  const valued = { ...rest, type: first };
  if (first === "array") return { ...valued, minItems: 1 };
  if (first === "object") return valued.required === undefined ? withAnyMember(valued) : valued;
  return first === "string" ? { ...valued, minLength: 1, allOf: [{ pattern: "\\S" }] } : valued;
}

/** Requires that one member of an object has a value. */
function withAnyMember(schema: JsonSchema): JsonSchema {
  const names = Object.keys(schema.properties ?? {});
  const members = names.map((name): JsonSchema => {
    return { properties: { [name]: { type: "string", pattern: "\\S" } }, required: [name] };
  });
  return { ...schema, anyOf: members };
}
